"""Tables and the picture of the documentation: `python -m tests.docs` makes them from the code."""

from pathlib import Path

from drago_env import MountDrago, Rules, observation, play, record

PAGE = Path(__file__).parents[1] / "docs" / "observation.md"
PICTURE = PAGE.with_name("game.svg")
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


def picture() -> str:
    """A game of three riders in the middle, as rider 1 sees it."""
    made = play(MountDrago(Rules(players=3)), ["uniform"] * 3, seeds=7).records[0]
    game, state = record.replay(made, 33)
    move = made["moves"][32]
    return game.draw(state, viewer=1, last=(move["seat"], move["action"], move["points"])).svg()


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    PICTURE.write_text(picture(), encoding="utf-8")
