"""The comment behind a field is its documentation: an extension for the reference."""

from __future__ import annotations

import re
from typing import Any

import griffe


class FieldComments(griffe.Extension):
    """Gives attributes without a docstring the comment at the end of their line."""

    def on_attribute_instance(self, *, attr: griffe.Attribute, **_: Any) -> None:
        """Looks at one attribute as it is found."""
        found = re.search(r"  # (?!noqa|type:)(.+)$", attr.lines[-1] if attr.lines else "")
        if attr.docstring is None and found:
            text = re.sub(r"  # (noqa|type:).*", "", found[1])
            attr.docstring = griffe.Docstring(text[0].upper() + text[1:], parent=attr)
