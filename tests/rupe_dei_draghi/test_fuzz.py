"""Kernel equals reference at every step; rare things are counted and must have happened."""

from __future__ import annotations

import os

import pytest

from tests.rupe_dei_draghi.fuzz import FUZZ, RARE

DECISIONS = 400_000


@pytest.fixture(scope="module")
def seen() -> dict[str, int]:
    met, report = FUZZ.run(DECISIONS, seed=1, workers=min(4, os.cpu_count() or 1))
    assert not report, report
    return met


def test_kernel_equals_reference(seen: dict[str, int]) -> None:
    assert seen["decisions"] >= DECISIONS


@pytest.mark.parametrize("name", RARE)
def test_rare_things_happened(seen: dict[str, int], name: str) -> None:
    assert seen[name] >= 5


def test_a_difference_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.rupe_dei_draghi.reference import Reference

    monkeypatch.setattr(Reference, "legal_turn", Reference.cards_in_hand)  # no renewal (4.4)
    met, report = FUZZ.batch(0, 0)
    assert not met
    assert "--seed 0 --batch 0 repeats this" in report
    assert "kernel" in report


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert FUZZ.main(["--batch", "2"]) == 0
    assert "without a difference" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        FUZZ.main(["--decisions", "0"])
