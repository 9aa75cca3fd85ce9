"""Any rules, any deal, any choice of moves: hypothesis looks for a difference to the reference."""

from __future__ import annotations

from collections import Counter

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from drago_env.mount_drago.board import Board
from drago_env.mount_drago.rules import EDITIONS, MAX_CARDS, Rules
from tests.mount_drago.oracle import Match

MOVES = 60  # a cap: with some sizes a game can go on for ever (zero moves, 4.4)


@st.composite
def boards(draw: st.DrawFn, longest: int) -> Board:
    kinds = draw(
        st.lists(st.sampled_from(["plain", "blue", "green"]), min_size=1, max_size=longest)
    )
    summit = draw(st.integers(1, 5))
    values = st.integers(-50, 50) | st.integers(-2, 8)
    size = len(kinds) + summit
    drawn = draw(st.lists(values, min_size=size, max_size=size))
    return Board((0, *drawn), ("start", *kinds, *["summit"] * summit))


@st.composite
def rules(draw: st.DrawFn, longest: int) -> Rules:
    """All sizes that clause 11 allows."""
    players = draw(st.integers(2, 5))
    edition = draw(st.sampled_from(EDITIONS))
    colours = draw(st.integers(players, 10))
    copies = draw(st.lists(st.integers(1, 11), min_size=1, max_size=5))
    each = sum(copies)
    assume(colours * each <= MAX_CARDS)
    # after the hands, a card for each must be left, or enough for any italian set-up
    left = players if edition == "german" else (players - 1) * each + 1
    most = min(6, (colours * each - left) // players)
    assume(most >= 1)
    hand = draw(st.integers(1, most))
    summit = draw(st.integers(1, colours))
    return Rules(players, edition, draw(boards(longest)), colours, tuple(copies), hand, summit)


def play(data: st.DataObject, longest: int, corners: Counter[str]) -> None:
    seed = data.draw(st.integers(0, 2**64 - 1), "seed")
    match = Match([data.draw(rules(longest), "rules")], [seed], [0], corners, every=2)
    for _ in range(MOVES):
        if not match.live:
            break
        match.step({0: data.draw(st.sampled_from(match.legal[0]), "action")})


fixed = settings(
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def test_short_tracks_to_the_end() -> None:
    corners: Counter[str] = Counter()

    @settings(fixed, max_examples=200)
    @given(st.data())
    def check(data: st.DataObject) -> None:
        play(data, 6, corners)

    check()
    assert corners["finished"] >= 100


def test_all_tracks_for_some_moves() -> None:
    corners: Counter[str] = Counter()

    @settings(fixed, max_examples=200)
    @given(st.data())
    def check(data: st.DataObject) -> None:
        play(data, 58, corners)

    check()
    assert corners["moves"] >= 200 * MOVES / 4
