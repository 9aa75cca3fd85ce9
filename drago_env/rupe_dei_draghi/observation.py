"""What a rider sees, as one flat vector with named slices.

The vector is relative to the observer (seat 0 is themselves, 1 the next rider), padded to four
seats, and turned by the graph's symmetry so that the own start is always the same space; a graph
without one stays as it is. Parts that depend on the graph stand at the end. Numbers are whole and
scaled by powers of two; the compact int8 form holds them unscaled.
"""

from __future__ import annotations

from drago_env.core.layout import Part, Slice, laid_out, starts
from drago_env.rupe_dei_draghi.rules import CARD_KINDS, FAR, MAX_PLAYERS, Rules
from drago_env.rupe_dei_draghi.state import OVER

VERSION = 1  # of the meaning of the vector and of the features; goes up when either changes
MOST = 127  # larger numbers are cut to what int8 holds

_RIVALS = MAX_PLAYERS - 1
_CARDS, _STEPS = 1 / 4, 1 / 16

_FIXED: tuple[Part, ...] = (
    ("hand", (CARD_KINDS,), _CARDS, "own cards of each kind"),
    ("unseen", (CARD_KINDS,), _CARDS, "cards of each kind in the deck or, unmarked, other hands"),
    ("spent", (CARD_KINDS,), _CARDS, "cards of each kind in the discard pile"),
    ("top", (CARD_KINDS,), 1.0, "the top discard"),
    ("marks", (_RIVALS, CARD_KINDS), 1.0, "cards of each kind known to be in each rival's hand"),
    ("exposed", (CARD_KINDS,), 1.0, "own cards of each kind that some rival knows of"),
    ("hand_size", (MAX_PLAYERS,), 1 / 8, "cards in each hand"),
    ("deck", (1,), 1 / 16, "cards in the deck"),
    ("pile", (1,), 1 / 16, "cards in the discard pile"),
    ("armour", (MAX_PLAYERS,), 1.0, "who has armour"),
    ("doubles", (MAX_PLAYERS,), 1.0, "who may move by twice the points"),
    ("in_castle", (MAX_PLAYERS,), 1.0, "whose knight is in the castle"),
    ("opened", (1,), 1.0, "the rainbow sites to strongholds are open"),
    ("turn", (MAX_PLAYERS,), 1.0, "who decides; nobody when the game is over"),
    ("step", (OVER,), 1.0, "the step of the turn; none when the game is over"),
    ("card", (CARD_KINDS,), 1.0, "the points card of the move that is being made"),
    ("fresh", (1,), 1.0, "the last magic card was the top discard"),
    ("taken", (1,), 1 / 2, "cards taken so far in this robbery or as spoils"),
    ("rival", (_RIVALS,), 1.0, "the rival who is sent away or plundered"),
    ("rainbows_left", (1,), 1 / 4, "rainbows beside the board"),
    ("bridges_left", (1,), 1 / 4, "bridges beside the board"),
    ("turns_left", (1,), 1 / 64, "turns until the game is cut off, up to 127"),
    ("players", (MAX_PLAYERS - 1,), 1.0, "two, three or four riders"),
    ("under", (1,), 1.0, "a used top discard goes under the pile"),
    ("stop", (1,), 1.0, "the turn may end after a magic top discard"),
    ("castle_steps", (MAX_PLAYERS,), _STEPS, "steps to the castle if every way were open"),
)
FIXED = laid_out(*_FIXED)
# where the parts that depend on the graph begin, in the order of `rules["at"]`
COLOUR_AT, LOOKS_AT, PRINCESS_AT, STEPS_AT, RAINBOWS_AT, BRIDGES_AT = range(6)
DRAGONS_AT, KNIGHT_AT, RIVALS_AT = range(6, 9)


def layout(rules: Rules) -> tuple[Slice, ...]:
    """The slices of the observation, in the order in which the kernel writes them."""
    spaces, sites, gaps, forts = rules.sizes
    return laid_out(
        *_FIXED,
        ("colour", (forts,), 1.0, "the own colour: always the first where the graph can be turned"),
        ("looks", (MAX_PLAYERS, forts), 1.0, "strongholds where each rider looked in vain"),
        (
            "princess",
            (forts, forts),
            1.0,
            "for each stronghold the princesses that can be there, by the own looks and by those "
            "of their riders",
        ),
        (
            "fort_steps",
            (MAX_PLAYERS, forts),
            _STEPS,
            "steps of each rider to each stronghold if every way were open",
        ),
        ("rainbows", (sites,), 1.0, "1 a rainbow lies there, 2 it is being moved"),
        ("bridges", (gaps,), 1.0, "1 a bridge lies there, 2 it is being moved"),
        ("dragons", (spaces,), 1.0, "1 a dragon stands there, 2 it is being moved"),
        ("knight", (spaces,), 1.0, "the own knight"),
        (
            "rivals",
            (spaces,),
            1 / 2,
            "the knight of the rival so many seats on; of several the last",
        ),
    )


def offsets(rules: Rules) -> tuple[int, ...]:
    """Where the parts of the observation begin that depend on the graph: `rules["at"]`."""
    return starts(layout(rules))[len(FIXED) :]


def size(rules: Rules) -> int:
    """How many numbers an observation has."""
    return layout(rules)[-1].stop


def bound(rules: Rules) -> float:
    """No number of an observation or of features is larger."""
    pieces, taken = (rules.rainbows, rules.bridges), max(rules.rob, rules.spoils)
    counts = (min(max(pieces), MOST) / 4, rules.cards / 4, taken / 2, max(rules.copies))
    return max(2 * FAR * _STEPS, *map(float, counts))


FEATURES = laid_out(
    ("card", (CARD_KINDS,), 1.0, "the kind of the card that is played or used"),
    ("top", (1,), 1.0, "it uses the top discard"),
    ("renew", (1,), 1.0, "it renews the hand"),
    ("rob", (1,), 1.0, "it begins a robbery"),
    ("done", (1,), 1.0, "it takes, moves or plays no more"),
    ("beside", (1,), 1.0, "from beside the board, or off the board"),
    ("site", (1,), 1.0, "it names a rainbow site"),
    ("space", (1,), 1.0, "it names a space"),
    ("own_steps", (1,), _STEPS, "steps to the own goal (castle or stronghold) by open ways before"),
    ("own_gain", (1,), _STEPS, "by how much they become fewer"),
    ("own_left", (1,), _STEPS, "steps still needed in all after it, if every way were open"),
    (
        "opens",
        (MAX_PLAYERS,),
        _STEPS,
        "by how many steps it shortens the way of each rider who is not moving to their goal",
    ),
    ("closes", (MAX_PLAYERS,), 1.0, "what is laid or taken lies on a shortest way of each rider"),
    ("duel", (1,), 1.0, "the move ends on a rival's knight"),
    ("armour", (1,), 1.0, "the move or swap brings the own knight armour"),
    ("look", (1,), 1.0, "the move ends in a stronghold"),
    ("hope", (1,), 1.0, "the own princess can be there"),
    ("chance", (1,), 1.0, "one in so many places where she can be"),
    ("rival", (1,), 1.0, "it names a rival"),
    ("rival_cards", (1,), 1 / 8, "cards in that rival's hand"),
    ("rival_known", (1,), 1 / 4, "of these known"),
    ("rival_left", (1,), _STEPS, "steps that the rival named, or beaten, still needs"),
    ("rival_leads", (1,), 1.0, "nobody else but oneself needs fewer"),
    ("gained", (1,), 1 / 8, "cards more in the own hand"),
    ("points_left", (1,), 1 / 4, "points cards left in the own hand after it"),
    fractions=("chance",),
)
