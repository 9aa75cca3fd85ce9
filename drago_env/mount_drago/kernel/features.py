"""What each action does, as numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from drago_env.core.compiled import inlined
from drago_env.mount_drago.actions import TO_DISCARD, TO_END, TO_KEEP
from drago_env.mount_drago.kernel.heuristic import (
    best_gain,
    danger_of,
    lead_of,
    take_back,
    try_play,
    value_ahead,
    weigh,
)
from drago_env.mount_drago.kernel.turn import score_riders, triggers
from drago_env.mount_drago.observation import (
    CHANGES,
    DANGER,
    DISCARDS,
    DONE,
    ENDS,
    NEXT_GAIN,
    NO_DRAW,
    OWN_LEAD,
    OWN_ROAD,
    OWN_STEPS,
    OWN_VALUE,
    POINTS,
    RIVAL_VALUE,
    TRIGGER,
    VERDICT,
)
from drago_env.mount_drago.rules import MAJOR, SUMMIT_STEPS


@inlined
def write_features(game: Any, action: Any, rules: Any, scale: Any, work: Any, out: Any) -> None:
    """What an action of the seat on turn does, in the order of `observation.FEATURES`.

    A play is tried on the record itself and taken back, so that it scores by `score_riders` too.
    `foresee` must have been called.
    """
    points = work["points"]
    kinds = np.int64(rules["card_kinds"])
    players = np.int64(game["players"])
    seat = np.int64(game["seat"])
    for k in range(out.shape[0]):
        out[k] = 0
    own_top = game["top"][seat]
    rides = rules["colour"][own_top]
    space = np.int64(game["position"][rides])
    if action >= TO_DISCARD * kinds:
        out[DISCARDS] = action < TO_END * kinds
        out[DONE] = action == TO_END * kinds
    else:
        keep = action >= TO_KEEP * kinds
        card = action - TO_KEEP * kinds if keep else action
        dragon = rules["colour"][card]
        before = np.int64(game["position"][dragon])
        triggered = triggers(game, card, rules)
        try_play(game, seat, card, keep, rules)
        after = game["position"][dragon]
        takes = game["top"][seat] == card and not keep
        space = np.int64(game["position"][rules["colour"][game["top"][seat]]])
        for k in range(players):
            points[k] = 0
        if triggered != 0:
            score_riders(game, triggered, rules, points)
            for other in range(players):
                rider = seat + other
                if rider >= players:
                    rider -= players
                out[POINTS + other] = np.int8(points[rider]) * scale[POINTS]
        arrives = after >= rules["summit"] and before < rules["summit"]
        ends = arrives and game["summit"] + 1 == rules["summit_dragons"]
        lead = lead_of(game, seat, points)
        prospects(game, seat, card, rules, scale, work, out)
        take_back(game, seat, dragon, before, own_top)
        out[TRIGGER] = triggered * scale[TRIGGER]
        out[NO_DRAW] = triggered != 0 and game["hand_size"][seat] > 1
        out[CHANGES] = takes and dragon != rides
        out[ENDS] = ends
        out[OWN_ROAD] = value_ahead(space, rules) * scale[OWN_ROAD]
        out[OWN_LEAD] = min(max(lead, -63), 63) * scale[OWN_LEAD]
        if ends:
            out[VERDICT] = min(max(lead, -1), 1)
    out[OWN_VALUE] = rules["space_value"][space] * scale[OWN_VALUE]
    out[OWN_STEPS] = rules["next_spaces"][space, SUMMIT_STEPS] * scale[OWN_STEPS]


@inlined
def prospects(game: Any, seat: Any, card: Any, rules: Any, scale: Any, work: Any, out: Any) -> None:
    """The features that look beyond the play that is being tried, by the rules of thumb."""
    weigh(game, rules, work)
    others = work["sums"][MAJOR] - work["value"][MAJOR, seat]
    out[RIVAL_VALUE] = others / (np.int64(game["players"]) - 1) * scale[RIVAL_VALUE]
    out[NEXT_GAIN] = best_gain(game, seat, card, rules, work) * scale[NEXT_GAIN]
    following = seat + 1 if seat + 1 < game["players"] else 0
    danger = danger_of(game, seat, following, rules["colour"][card], rules, work)
    out[DANGER] = danger * scale[DANGER]
