"""The numbering of decisions (clause 14.1): ranges, what an action says, and its words."""

from __future__ import annotations

from drago_env.rupe_dei_draghi.graph import Graph
from drago_env.rupe_dei_draghi.rules import CARD_KINDS, CARDS

RENEW, ROB, TOP, DONE, BESIDE = range(CARD_KINDS, CARD_KINDS + 5)
RIVAL = 15  # + seats on - 1, for 1 to 3 seats on
SITE = 18  # + rainbow site; the spaces follow

_WORDS = {RENEW: "renew", ROB: "rob", TOP: "top discard", DONE: "done", BESIDE: "beside the board"}


def decode(action: int, graph: Graph) -> tuple[str, int]:
    """What an action says: its kind and an index (card kind, seats on, site or space)."""
    if not 0 <= action < graph.num_actions:
        raise ValueError(f"actions are from 0 to {graph.num_actions - 1}, not {action}")
    if action < CARD_KINDS:
        return "card", action
    if action < RIVAL:
        return _WORDS[action], 0
    if action < SITE:
        return "rival", action - RIVAL + 1
    site = action - SITE
    return ("site", site) if site < len(graph.sites) else ("space", site - len(graph.sites))


def text(action: int, graph: Graph) -> str:
    """An action in words, such as `card 3`, `rival +1`, `site R0-C` or `space J02`."""
    kind, index = decode(action, graph)
    if kind == "card":
        return f"card {CARDS[index]}"
    if kind == "rival":
        return f"rival +{index}"
    if kind == "site":
        rock, end = graph.sites[index]
        return f"site {graph.names[rock]}-{graph.names[end]}"
    return f"space {graph.names[index]}" if kind == "space" else kind


def parse(words: str, graph: Graph) -> int:
    """The action of such words."""
    wanted = " ".join(words.split())
    for action in range(graph.num_actions):
        if text(action, graph) == wanted:
            return action
    raise ValueError(f"{words!r} is no action, such as 'card 3', 'rob', 'site R0-C' or 'space J02'")
