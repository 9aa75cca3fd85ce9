"""The actions (clause 11): one flat space, in which a number always points at the same thing."""

from __future__ import annotations

from drago_env.dragon_delta.rules import CARDS, MAX_KINDS, Rules

CARD, ISLET, PLANK, LINK, VILLAGE = "card", "islet", "plank", "link", "village"


def ranges(rules: Rules) -> dict[str, range]:
    """Which actions are of which kind; all ranges together are the action space."""
    board = rules.map
    sizes = {
        CARD: rules.cards,
        ISLET: len(board.islets),
        PLANK: rules.planks,
        LINK: len(board.links),
        VILLAGE: len(board.villages),
    }
    made: dict[str, range] = {}
    start = 0
    for kind, size in sizes.items():
        made[kind] = range(start, start + size)
        start += size
    return made


def decode(action: int, rules: Rules) -> tuple[str, int]:
    """The kind of an action and which of its kind it is; planks count from 1, all else from 0."""
    for kind, numbers in ranges(rules).items():
        if action in numbers:
            return kind, action - numbers.start + (kind == PLANK)
    raise ValueError(f"actions run from 0 to {rules.num_actions - 1}, not {action} (clause 11.1)")


def encode(kind: str, index: int, rules: Rules) -> int:
    """The action of a kind and an index: the other way round."""
    numbers = ranges(rules)[kind]
    place = index - (kind == PLANK)
    if not 0 <= place < len(numbers):
        raise ValueError(f"there is no {kind} {index} (clause 11.1)")
    return numbers[place]


def card_text(card: int, rules: Rules, seat: int | None = None) -> str:
    """A card in words; with a seat, a dragon of that seat names its target."""
    if card < MAX_KINDS:
        return CARDS[card]
    places = card - MAX_KINDS + 1
    if seat is None or places >= rules.players:
        return f"dragon +{places}"
    return f"dragon against {rules.colours[(seat + places) % rules.players]}"


def text(action: int, rules: Rules, seat: int | None = None) -> str:
    """An action in words, such as `program stone1`, `plank 4`, `13-27` or `white's village`."""
    kind, index = decode(action, rules)
    if kind == CARD:
        return f"program {card_text(index, rules, seat)}"
    if kind == LINK:
        return rules.map.link_text(index)
    if kind == VILLAGE:
        return rules.map.node_text(len(rules.map.islets) + index)
    return f"{kind} {index}"
