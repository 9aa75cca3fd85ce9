"""The command of every game's fuzz counts what it has done; without that it would not end."""

from __future__ import annotations

import pytest

from tests.dragon_delta.fuzz import FUZZ as DRAGON_DELTA
from tests.fuzzing import Fuzz
from tests.mount_drago.fuzz import FUZZ as MOUNT_DRAGO
from tests.rupe_dei_draghi.fuzz import FUZZ as RUPE_DEI_DRAGHI


@pytest.mark.parametrize("fuzz", [MOUNT_DRAGO, DRAGON_DELTA, RUPE_DEI_DRAGHI])
def test_a_batch_is_counted(fuzz: Fuzz) -> None:
    seen, report = fuzz.batch(0, 0)
    assert not report, report
    assert seen[fuzz.unit] > 0
