"""Tables of the documentation that come from the code: `python -m tests.docs` rewrites them."""

from pathlib import Path

from drago_env import Rules, observation

PAGE = Path(__file__).parents[1] / "docs" / "observation.md"
START, END = "<!-- generated -->\n", "<!-- end -->"


def tables() -> str:
    """The slices of the observation of the full game, and the features of an action."""
    parts = [f"Version {observation.VERSION}.\n"]
    for title, slices in (
        ("The observation: flat, relative to the observer, padded to five seats", _full()),
        ("The features of one legal action of the seat on turn", observation.FEATURES),
    ):
        lines = [f"## {title}\n", "| numbers | name | shape | scale | meaning |"]
        lines.append("| --- | --- | --- | --- | --- |")
        for part in slices:
            scale = part.scale if isinstance(part.scale, tuple) else (part.scale,)
            factors = ", ".join(dict.fromkeys(f"1/{round(1 / s)}" if s < 1 else "1" for s in scale))
            lines.append(
                f"| {part.start} to {part.stop - 1} | `{part.name}` | {part.shape} "
                f"| {factors} | {part.meaning} |"
            )
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def _full() -> tuple[observation.Slice, ...]:
    return observation.layout(Rules())


def page() -> str:
    """The page with fresh tables."""
    head, rest = PAGE.read_text(encoding="utf-8").split(START)
    return head + START + tables() + END + rest.split(END)[1]


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
