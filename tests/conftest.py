"""Positions and moves in words, so that a test reads like the clause that it checks."""

from __future__ import annotations

import os
import random
import re
import secrets
import shutil
import signal
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from drago_env import IllegalAction, MountDrago, Rules, observation, position, storage
from drago_env.game import State
from drago_env.mount_drago.rules import COLOURS
from drago_env.mount_drago.state import PHASES

os.environ["NOTEBOOK_STEPS"] = "20000"  # of the notebook that trains: seconds here, not minutes
# Ray reads these once in a process, whichever test is the first to use it.
os.environ |= {
    "RAY_AUTH_MODE": "token",
    "RAY_AUTH_TOKEN": secrets.token_hex(16),
    "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",
    "RAY_USAGE_STATS_ENABLED": "0",
}

# A check that a shell has started in the background ignores Ctrl-C, and so would the programs that
# the tests start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# A short track with every kind of space; most tests play on it.
#         0        1        2       3        4        5        6         7
TRACK = "0 start, 1 plain, 2 blue, 3 plain, 4 green, 6 plain, -1 plain, 3 blue, "
#          8        9         10      11       12        13        14        15
TRACK += "5 plain, -2 plain, 0 blue, 4 plain, 4 summit, 5 summit, 6 summit, 7 summit"

RIDES = ("red 1", "green 1", "yellow 1", "brown 1", "gray 1")
HANDS = tuple(f"orange {value}" for value in range(1, 6))  # of seats that a test does not care for


def pytest_configure(config: pytest.Config) -> None:
    """Without numba the generator of chance wraps around in numpy scalars, which warn of it."""
    if os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":
        wraps = r"ignore:overflow encountered in scalar (add|multiply):RuntimeWarning"
        config.addinivalue_line("filterwarnings", wraps)


class Table:
    """One game, spoken of in words; every move leaves a sound state and a whole set of cards."""

    def __init__(self, game: MountDrago, state: State) -> None:
        self.game, self.state = game, state
        self.rules = game.row_rules(state, 0)
        numbers = range(game.spec.num_actions)
        self.actions = {game.action_text(action): action for action in numbers}
        self.rewards: list[float] = []

    def act(self, *moves: str) -> list[int]:
        """Makes the moves one by one; what each seat got by the last one."""
        for move in moves:
            outcome = self.game.step(self.state, [self.actions[move]])
            storage.check(self.game, self.state)
        assert not outcome.points[0, self.rules.players :].any()
        assert not outcome.rewards[0, self.rules.players :].any()
        self.rewards = outcome.rewards[0, : self.rules.players].tolist()
        return [int(points) for points in outcome.points[0, : self.rules.players]]

    def refuses(self, move: str, clause: str) -> None:
        """The move is not legal, the error cites the clause, and nothing has changed."""
        before = self.state.tobytes()
        assert move not in self.legal
        with pytest.raises(IllegalAction, match=rf"\(clause {re.escape(clause)}\)"):
            self.game.step(self.state, [self.actions[move]])
        assert self.state.tobytes() == before

    @property
    def legal(self) -> set[str]:
        listed = self.game.legal(self.state)
        actions = listed.actions[0, : listed.counts[0]].tolist()
        assert actions == np.flatnonzero(listed.mask[0]).tolist()
        return {self.game.action_text(action) for action in actions}

    @property
    def turn(self) -> str:
        it = self.state[0]
        return f"seat {it['seat']}, {PHASES[it['phase']]}"

    @property
    def scores(self) -> list[int]:
        scores = self.game.scores(self.state)[0, : self.rules.players]
        return [int(score) for score in scores]

    @property
    def winners(self) -> list[int]:
        return np.flatnonzero(self.game.winners(self.state)[0]).tolist()

    @property
    def deck(self) -> list[str]:
        return self._cards(self.state["deck"][0, : self.state["deck_size"][0]])

    @property
    def covered(self) -> list[str]:
        """The cards in the piles below their tops, and the discarded ones."""
        pile = self.state["pile"][0]
        return self._cards(np.repeat(np.arange(len(pile)), pile))

    @property
    def drawn(self) -> list[str]:
        """What the last move drew, in this order."""
        drawn = self.state["drawn"][0, : self.state["drawn_size"][0]]
        return [self.rules.card_text(card) for card in drawn]

    def hand(self, seat: int) -> list[str]:
        return self._cards(self.state["hand"][0, seat, : self.state["hand_size"][0, seat]])

    def rides(self, seat: int) -> str:
        """The top card of the pile."""
        return self.rules.card_text(self.state["top"][0, seat])

    def space(self, colour: str) -> int:
        return int(self.state["position"][0, COLOURS.index(colour)])

    def sees(self, seat: int) -> dict[str, Any]:
        """The observation of a seat: its named parts as lists."""
        compact = self.game.observe_compact(self.state, [seat])[0]
        seen = observation.named(self.game.observe(self.state, [seat])[0], self.game.layout)
        parts = {name: part.tolist() for name, part in seen.items()}
        unscaled = observation.named(compact, self.game.layout)
        assert parts == {name: part.tolist() for name, part in unscaled.items()}
        return parts

    def _cards(self, kinds: Any) -> list[str]:
        return [self.rules.card_text(card) for card in sorted(kinds)]


def at(
    dragons: Mapping[str, int] | None = None,  # the others stand on the start space
    hands: Sequence[str] = (),
    rides: Sequence[str] = RIDES[:2],
    *,
    turn: str = "seat 0, play",
    scores: Sequence[int] = (0, 0, 0, 0, 0),
    covered: str | None = None,  # by default nothing, or all the rest if the deck is given
    deck: str | None = None,  # by default all the rest
    edition: str = "german",
    board: str = TRACK,
    colours: int = 10,
    copies: str = "2 2 3 2 2",
    hand: int = 6,
    summit_dragons: int = 3,
    reward: str = "win",
) -> Table:
    """The position with these things in it; a rider for each of `rides`."""
    players = len(rides)
    hands = [*hands, *HANDS[len(hands) : players]]
    spaces = {**dict.fromkeys(COLOURS[:colours], 0), **(dragons or {})}
    lines = [
        position.FORMAT,
        f"rules: {edition}, {players} players, {colours} colours, copies {copies}, "
        f"hand {hand}, summit dragons {summit_dragons}",
        f"board: {board}",
        f"turn: {turn}",
        "dragons: " + ", ".join(f"{colour} {space}" for colour, space in spaces.items()),
    ]
    for seat in range(players):
        lines += [f"seat {seat}: {scores[seat]} points, rides {rides[seat]}"]
        lines += [f"hand {seat}: {hands[seat]}"]
    if deck is not None and covered is None:
        # with the deck's cards covered and no word of a deck, it is read as all the rest
        swapped = Table(*position.read("\n".join([*lines, f"covered: {deck}"])))
        covered = ", ".join(swapped.deck)
    lines += [f"covered: {covered or ''}"]
    if deck is not None:
        lines += [f"deck: {deck}"]
    game, state = position.read("\n".join(lines))
    return Table(MountDrago(*game.rules, reward=reward), state)


def random_game(rules: Rules, seed: int, reward: str = "win") -> Iterator[Table]:
    """A game of random moves: the table before each of them, and at the end."""
    game, rng = MountDrago(rules, reward=reward), random.Random(seed)
    table = Table(game, game.new(seed))
    yield table
    while not game.over(table.state)[0]:
        table.act(rng.choice(sorted(table.legal)))
        yield table


@pytest.fixture
def one_thread() -> Iterator[None]:
    """Torch on one thread: sums in one order, and nobody waits for a busy core."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Chromium without a screen."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="pip install selenium")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    chromedriver = shutil.which("chromedriver")
    if not chromium or not chromedriver:
        pytest.skip("pages are tried in a browser: apt-get install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    for flag in (
        *("headless", "no-sandbox", "disable-gpu", "disable-quic", "no-first-run"),
        *("disable-background-networking", "disable-component-update", "disable-sync"),
        *("disable-dev-shm-usage", "window-size=1400,1000"),
        f"user-data-dir={tmp_path_factory.mktemp('chromium')}",
    ):
        options.add_argument(f"--{flag}")
    service = webdriver.ChromeService(executable_path=chromedriver)
    driver = webdriver.Chrome(options=options, service=service)
    yield driver
    driver.quit()
