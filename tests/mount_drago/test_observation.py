"""The observation: its named parts and its words give back the truth of a position."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from drago_env import MountDrago, Rules, observation
from drago_env.game import State
from drago_env.mount_drago import state as phases
from drago_env.mount_drago.rules import COLOURS, EDITIONS
from tests.mount_drago.games import ALL_RULES, SCARCE, STANDARD, TINY, along, find, name, play

SIZES = {"standard": Rules(), "tiny": Rules.tiny(), "scarce": SCARCE[0]}


def truth(rules: Rules, state: State, seat: int) -> dict[str, Any]:
    """What the seat should see, worked out from the state in the plainest way."""
    it, board, values = state[0], rules.board, rules.values
    riders = [(seat + k) % rules.players for k in range(rules.players)]
    pad = [0] * (5 - rules.players)
    hand = it["hand"][seat, : it["hand_size"][seat]].tolist()
    own = np.bincount(hand, minlength=rules.card_kinds)
    tops = it["top"][: rules.players].tolist()
    seen = own + it["pile"][: rules.card_kinds] + np.bincount(tops, minlength=rules.card_kinds)
    dragons = []
    for space in it["position"][: rules.colours].tolist():
        goals = [min(space + value, board.last) for value in range(1, values + 1)]
        triggers = []
        for goal in goals:
            arrives = goal >= board.summit > space
            kind = board.kinds[goal]
            green = kind == "green" or arrives
            triggers.append(2 if green else int(kind == "blue"))
        ahead = [board.values[goal] for goal in goals]
        dragons.append([space, board.summit - space, board.values[space], *ahead, *triggers])
    rides = [[int(tops[rider] // values == c) for c in range(rules.colours)] for rider in riders]
    scores = it["score"].tolist()
    over = it["phase"] == phases.OVER
    return {
        "hand": own,
        "unseen": np.tile(rules.copies, rules.colours) - seen,
        "dragons": dragons,
        "rides": rides + [[0] * rules.colours for _ in pad],
        "hand_size": [int(it["hand_size"][rider]) for rider in riders] + pad,
        "top_value": [tops[rider] % values + 1 for rider in riders] + pad,
        "lead": [scores[rider] - scores[seat] for rider in riders[1:]] + pad,
        "turn": [int(rider == it["seat"] and not over) for rider in riders] + pad,
        "discarding": [int(it["phase"] == phases.DISCARD)],
        "discarded": [int(it["discarded"])],
        "deck": [int(it["deck_size"])],
        "summit_left": [rules.summit_dragons - int(it["summit"])],
        "players": [int(n == rules.players) for n in (2, 3, 4, 5)],
        "italian": [int(rules.edition == "italian")],
    }


@pytest.mark.parametrize("rules", ALL_RULES, ids=name)
def test_named_parts_are_the_truth(rules: Rules) -> None:
    played = play(rules, 4)
    game = played.game
    for state in played.states[::5] + played.states[-2:]:
        for seat in range(rules.players):
            wanted = truth(rules, state, seat)
            for vector in (game.observe(state, seat)[0], game.observe_compact(state, seat)[0]):
                named = observation.named(vector, game.layout)
                assert named.keys() == wanted.keys()
                for part, numbers in wanted.items():
                    assert np.array_equal(named[part], numbers), part


def test_unseen_cards_are_the_other_hands_and_the_deck() -> None:
    for state in play(STANDARD[5], 1).states[::9]:
        it = state[0]
        others = [it["hand"][s, : it["hand_size"][s]] for s in range(1, 4)]
        cards = np.concatenate([*others, it["deck"][: it["deck_size"]]])
        game = play(STANDARD[5], 1).game
        unseen = observation.named(game.observe(state, 0)[0], game.layout)["unseen"]
        assert (unseen == np.bincount(cards, minlength=50)).all()


@pytest.mark.parametrize("kind", SIZES)
def test_slices_cover_the_vector(kind: str) -> None:
    game = MountDrago(SIZES[kind])
    for slices, size in (
        (game.layout, game.spec.observation_size),
        (observation.FEATURES, game.spec.feature_size),
    ):
        covered = [i for part in slices for i in range(part.start, part.stop)]
        assert covered == list(range(size))
        assert len({part.name for part in slices}) == len(slices)
        assert all(part.meaning for part in slices)


@pytest.mark.parametrize("kind", SIZES)
def test_scales_are_powers_of_two(kind: str) -> None:
    game = MountDrago(SIZES[kind])
    for scale in (game.scale, game.feature_scale):
        assert scale.dtype == np.float32
        assert (np.frexp(scale)[0] == 0.5).all()


@pytest.mark.parametrize("kind", ["standard", "tiny", "scarce"])
def test_observe_is_the_compact_form_scaled(kind: str) -> None:
    rules = {"standard": STANDARD, "tiny": TINY, "scarce": SCARCE}[kind]
    game = MountDrago(*rules)
    n = 4 * len(rules)
    for state in along(game, range(n), [i % len(rules) for i in range(n)]):
        for seats in (None, 0, 1):
            seen, compact = game.observe(state, seats), game.observe_compact(state, seats)
            assert compact.dtype == np.int8
            assert seen.dtype == np.float32
            assert (seen == compact * game.scale).all()


def test_numbers_of_the_standard_game_stay_small() -> None:
    game = MountDrago(*STANDARD)
    for state in along(game, range(80), [i % len(STANDARD) for i in range(80)]):
        assert np.abs(game.observe(state)).max() <= 4
        legal = game.legal(state)
        features = game.features(state, legal)
        listed = np.arange(legal.actions.shape[1]) < legal.counts[:, None]
        assert np.abs(features[listed]).max(initial=0) <= 8


def test_named_features_are_not_rounded() -> None:
    game, fractions = MountDrago(Rules(4)), set()
    for state in along(game, range(4), [0] * 4):
        legal = game.legal(state)
        for row, features in enumerate(game.features(state, legal)):
            for vector in features[: legal.counts[row]]:
                named = observation.named(vector, observation.FEATURES)
                for part in observation.FEATURES:
                    assert np.array_equal(named[part.name] * part.scale, part.of(vector))
                    assert (named[part.name].dtype == np.int64) == part.whole
                    if (named[part.name] % 1).any():
                        fractions.add(part.name)
    assert fractions == {"rival_value", "own_road", "next_gain", "danger"}


def test_slice_of_a_batch() -> None:
    game = MountDrago(Rules(3))
    state = game.new(range(6))
    rides = next(part for part in game.layout if part.name == "rides").of(game.observe(state))
    assert rides.shape == (6, 5, 10)
    assert (rides[:, 0].argmax(1) == state["top"][:, 0] // 5).all()


# ---------------------------------------------------------------- in words


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


@pytest.mark.parametrize("rules", ALL_RULES, ids=name)
def test_words_are_the_truth(rules: Rules) -> None:
    played = play(rules, 5)
    for state in (*played.states[::11], find(rules, phases.DISCARD), played.states[-1]):
        it = state[0]
        seat = rules.players - 1
        text = observation.describe(played.game.observe(state, seat)[0], rules)
        assert text == observation.describe(played.game.observe_compact(state, seat)[0], rules)
        lines = text.splitlines()
        assert lines[0] == (
            f"{rules.players} riders, {EDITIONS[it['edition']]} edition, "
            f"{counted(it['deck_size'], 'card')} in the deck, "
            f"{counted(rules.summit_dragons - it['summit'], 'dragon')} from the end"
        )
        ahead = (int(it["seat"]) - seat) % rules.players
        who = f"rider +{ahead}" if ahead else "you"
        step = ["play", "discard"][int(it["phase"] == phases.DISCARD)] + "s" * (ahead > 0)
        over = it["phase"] == phases.OVER
        assert lines[1].startswith("the game is over" if over else f"{who} {step}")
        held = it["hand"][seat, : it["hand_size"][seat]].tolist()
        words = [f"{rules.card_text(c)} x{held.count(c)}" for c in dict.fromkeys(held)]
        assert lines[2] == f"your hand: {', '.join(words) or 'nothing'}"
        for k in range(rules.players):
            rider = (seat + k) % rules.players
            colour, value = rules.card_text(int(it["top"][rider])).split()
            start = f"rider +{k}" if k else "you"
            line = f"{start}: on {colour} by a {value}, "
            line += counted(it["hand_size"][rider], "card")
            if k:
                line += f", {int(it['score'][rider]) - int(it['score'][seat]):+d} against you"
            assert lines[3 + k] == line
        for colour, space in zip(COLOURS[: rules.colours], it["position"], strict=False):
            assert any(line.startswith(f"{colour} on space {space} (") for line in lines)


@pytest.mark.parametrize(
    "vector",
    [
        np.zeros(10, np.float32),
        np.zeros((1, MountDrago().spec.observation_size), np.float32),
        np.zeros(MountDrago().spec.observation_size + 1, np.int8),
        MountDrago(Rules.tiny()).observe(MountDrago(Rules.tiny()).new(0))[0],
        np.float32(1),
    ],
)
def test_vector_of_another_size_is_refused(vector: Any) -> None:
    size = MountDrago().spec.observation_size
    with pytest.raises(ValueError, match=f"expected a vector of {size} numbers, not the shape"):
        observation.describe(vector)
    with pytest.raises(ValueError, match=f"expected a vector of {size} numbers, not the shape"):
        observation.named(vector, observation.layout(Rules()))
