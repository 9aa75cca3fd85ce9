"""A small game as one graph: every position that can come, and who can tell which apart.

A position in which nothing is hidden from anybody is public: whatever follows is a game of its own,
so it stands once in the graph, however it was reached, and begins a *stage*. Within a stage a
position is the state and what each seat has seen since the stage began: its observation after
every decision, and its own actions. So every seat remembers all, which exact methods need.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.solving.kernels import hashed, ranked
from drago_env.core.chance import mix
from drago_env.core.checks import select
from drago_env.game import Game, State

CHANCE, END = -1, -2  # who is on turn at the deal and after the end
CHUNK = 1 << 14  # rows that are looked at together
DRAWS = (2, 14, 48)  # how often what is hidden is drawn anew until a position counts as public
Ints = NDArray[np.int64]
Hashes = NDArray[np.uint64]
Progress = Callable[[str], None]


class TooLarge(ValueError):  # noqa: N818  (a refusal, not a fault of the program)
    """A game with more positions than are allowed."""


class Graph(NamedTuple):
    """Positions, the choices at each, what chance makes of them, and the information sets.

    Position 0 is the deal, of which chance has the only choice. The choices of an information
    set are numbered through, and those of a position are those of its set.
    """

    players: int
    # positions
    seat: NDArray[np.int8]  # on turn, CHANCE or END
    public: NDArray[np.bool_]
    stage: Ints  # the public position that it follows
    infoset: Ints
    last: Ints  # (positions, players): each seat's last choice within the stage, or -1
    reach: NDArray[np.float64]  # what chance gives to it within the stage
    worth: NDArray[np.float64]  # (positions, players), of the ends
    edges: Ints  # where the edges of each position begin: one for each legal action
    # edges
    branches: Ints  # where the branches of each edge begin
    # branches
    chance: NDArray[np.float64]
    child: Ints
    # information sets
    order: Ints  # all of them, each after those that it follows from
    choices: Ints  # where the choices of each begin
    owner: NDArray[np.int8]
    members: Ints  # where the positions of each begin in `member`
    member: Ints
    # choices
    action: Ints

    @property
    def chooser(self) -> Ints:
        """The information set of each choice."""
        return np.repeat(np.arange(len(self.owner)), np.diff(self.choices))


@dataclass
class Frontier:
    """Positions that were found and are to be looked at."""

    state: State
    number: Ints
    stage: Ints
    seen: Hashes  # (n, players): all that each seat has seen in this stage
    last: Ints


@dataclass
class Expansion:
    """What is known of the graph while it grows."""

    game: Any
    open: bool = False
    most: int = 1_000_000
    progress: Progress = lambda line: None
    size: int = 1
    sets: int = 1
    taken: int = 1  # choices
    publics: dict[int, int] = field(default_factory=dict)
    parts: dict[str, list[Any]] = field(default_factory=dict)
    samples: list[State] = field(default_factory=list)
    told: float = 0.0

    def __post_init__(self) -> None:
        deal = self.game.new(0)
        self.players = int(self.game.players(deal)[0])
        spec = self.game.spec
        self.open = self.open or not (spec.has_chance or spec.hides_decisions)
        self.samples.append(deal)

    # ------------------------------------------------------------ step by step

    def run(self) -> tuple[Graph, State]:
        """The graph, and a state for each of its information sets."""
        self._put(
            seat=[CHANCE], public=[True], stage=[0], infoset=[0], reach=[1.0], owner=[CHANCE],
            last=np.full((1, self.players), -1), worth=np.zeros((1, self.players)),
            action=[-1], width=[1], edges=[1],
        )  # fmt: skip
        root = Frontier(
            self.samples[0],
            np.zeros(1, np.int64),
            np.zeros(1, np.int64),
            np.zeros((1, self.players), np.uint64),
            np.full((1, self.players), -1),
        )
        reach = np.ones(1)
        edge, chance, after = self._branches(root.state, None)
        zero = root.number
        frontier, reach = self._children(root, reach, zero, zero, None, edge, chance, after)
        while len(frontier.number):
            frontier, reach = self._step(frontier, reach)
            if time.monotonic() - self.told > 2:
                self.told = time.monotonic()
                self.progress(f"{self.size:,} positions, {self.sets:,} information sets")
        return self._joined(), np.concatenate(self.samples)

    def _step(self, front: Frontier, reach: NDArray[np.float64]) -> tuple[Frontier, Any]:
        """Every choice at the positions of a frontier, and what comes of it."""
        legal = self.game.legal(front.state)
        seat = self.game.current_player(front.state).astype(np.int64)
        n, counts = len(front.number), legal.counts
        own = front.seen[np.arange(n), seat] + seat.astype(np.uint64)
        _, first, infoset = np.unique(own, return_index=True, return_inverse=True)
        widths = counts[first]
        begins = self.taken + np.cumsum(widths) - widths
        row = np.repeat(np.arange(n), counts)
        place = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
        actions = legal.actions[row, place].astype(np.int64)
        heads = np.repeat(first, widths)
        nth = np.arange(len(heads)) - np.repeat(np.cumsum(widths) - widths, widths)
        self._put(owner=seat[first], width=widths, action=legal.actions[heads, nth])
        self._put(infoset_of=front.number, infoset_is=self.sets + infoset, edges_of=front.number,
                  edges_are=counts, seat_of=seat)  # fmt: skip
        self.samples.append(select(front.state, first))
        self.sets += len(first)
        self.taken += len(heads)
        edge, chance, after = self._branches(select(front.state, row), actions)
        choice = begins[infoset[row]] + place
        return self._children(front, reach, row, choice, actions, edge, chance, after)

    def _branches(self, state: State, actions: Ints | None) -> tuple[Ints, Any, State]:
        try:
            found: tuple[Ints, Any, State] = self.game.branches(state, actions, 4 * self.most)
        except ValueError as error:
            raise TooLarge(f"{error}: the game is too large to be solved") from error
        return found

    def _children(
        self,
        front: Frontier,
        reach: NDArray[np.float64],
        row: Ints,  # of each edge: the position in the frontier
        choice: Ints,  # of each edge
        actions: Ints | None,
        edge: Ints,  # of each branch
        chance: NDArray[np.float64],
        after: State,
    ) -> tuple[Frontier, Any]:
        """The positions after the branches: those that are new, and the links to all of them."""
        state = self._canonical(after)
        over = self.game.over(state)
        key = hashed(_words(state))
        public = over | self._public(state, over)
        seen = np.repeat(key[:, None], self.players, 1)
        parent = row[edge]
        last = np.full((len(edge), self.players), -1)
        inside = np.flatnonzero(~public)
        if len(inside):
            done = None if actions is None else actions[edge[inside]]
            seen[inside] = self._seen(front, select(state, inside), parent[inside], done)
            key[inside] = hashed(np.column_stack([key[inside], seen[inside]]))
            last[inside] = front.last[parent[inside]]
            if actions is not None:
                seat = self.game.current_player(front.state)[parent[inside]]
                last[inside, seat] = choice[edge[inside]]
        _, first, which = np.unique(key, return_index=True, return_inverse=True)
        number, new = self._numbers(key[first], public[first])
        self._link(edge, len(row), which, number, chance)
        gained = np.zeros(len(first))
        np.add.at(gained, which, reach[parent] * chance)
        fresh, told = first[new], number[new]
        stage = np.where(public[fresh], told, front.stage[parent[fresh]])
        gained = np.where(public[fresh], 1.0, gained[new])
        self._put(
            seat=np.full(len(fresh), END), public=public[fresh], stage=stage, last=last[fresh],
            reach=gained, worth=self._worth(select(state, fresh)),
            edges=np.zeros(len(fresh), np.int64), infoset=np.full(len(fresh), -1),
        )  # fmt: skip
        goes = np.flatnonzero(~over[fresh])
        kept = fresh[goes]
        following = Frontier(select(state, kept), told[goes], stage[goes], seen[kept], last[kept])
        return following, gained[goes]

    def _numbers(self, keys: Hashes, public: NDArray[np.bool_]) -> tuple[Ints, Any]:
        """The number of each position, and which of them are new."""
        number = np.full(len(keys), -1)
        for k in np.flatnonzero(public).tolist():
            number[k] = self.publics.get(int(keys[k]), -1)
        new = np.flatnonzero(number < 0)
        number[new] = np.arange(self.size, self.size + len(new))
        for k in new[public[new]].tolist():
            self.publics[int(keys[k])] = int(number[k])
        self.size += len(new)
        if self.size > self.most:
            raise TooLarge(
                f"the game has more than {self.most:,} positions: take smaller rules, or allow "
                "more with --most-states"
            )
        return number, new

    def _link(self, edge: Ints, edges: int, which: Ints, number: Ints, chance: Any) -> None:
        """Adds the branches; those of one edge that lead to the same position become one."""
        pairs, same = np.unique(edge * len(number) + which, return_inverse=True)
        joined = np.bincount(same, chance)
        counts = np.bincount(pairs // len(number), minlength=edges)
        self._put(branches=counts, chance=joined, child=number[pairs % len(number)])

    # ------------------------------------------------------------ what is known

    def _canonical(self, state: State) -> State:
        """Positions that differ in nothing that matters become equal bytes."""
        if hasattr(self.game, "canonical"):
            state = self.game.canonical(state)
        if "rng" in (state.dtype.names or ()):
            state["rng"] = 0
        return state

    def _public(self, state: State, over: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Where drawing anew what a seat cannot see changes nothing, for any seat."""
        public = np.full(len(state), True)
        if self.open:
            return public
        public[over] = False
        for start, draws in zip(np.cumsum(DRAWS) - DRAWS, DRAWS, strict=True):
            for seat in range(self.players):
                for rows in _chunks(np.flatnonzero(public), draws):
                    there = select(state, np.repeat(rows, draws))
                    seeds = mix(np.arange(len(there), dtype=np.uint64) % draws + np.uint64(start))
                    clones = self._canonical(self.game.determinize(there, seat, seeds))
                    same = (_words(clones) == _words(there)).all(1)
                    public[rows] = same.reshape(-1, draws).all(1)
        return public

    def _seen(self, front: Frontier, state: State, parent: Ints, actions: Ints | None) -> Hashes:
        """All that each seat has seen in this stage, with what it sees now."""
        before = front.seen[parent]
        if actions is not None:
            seat = self.game.current_player(front.state)[parent]
            before[np.arange(len(parent)), seat] += mix(actions.astype(np.uint64))
        now = np.empty((len(state), self.players), np.uint64)
        for seat in range(self.players):
            for rows in _chunks(np.arange(len(state)), 1):
                looks = self.game.observe(select(state, rows), seat)
                now[rows, seat] = hashed(_words(looks))
        return mix(mix(before) ^ now)

    def _worth(self, state: State) -> NDArray[np.float64]:
        """Each seat's share of the victory less the mean of the others': 0 while a game runs."""
        shares = self.game.shares(state)[:, : self.players]
        return np.asarray(shares - (shares.sum(1, keepdims=True) - shares) / (self.players - 1))

    # ------------------------------------------------------------ the whole

    def _put(self, **arrays: Any) -> None:
        for name, array in arrays.items():
            self.parts.setdefault(name, []).append(np.asarray(array))

    def _joined(self) -> Graph:
        """All parts as one; information sets and their choices are put in order."""
        got = {name: np.concatenate(parts) for name, parts in self.parts.items()}
        seat, infoset, edges = got["seat"].astype(np.int8), got["infoset"], got["edges"]
        infoset[got["infoset_of"]], edges[got["edges_of"]] = got["infoset_is"], got["edges_are"]
        seat[got["infoset_of"]] = got["seat_of"]
        member = np.argsort(infoset, kind="stable")[int((infoset < 0).sum()) :]
        members = np.bincount(infoset[member], minlength=self.sets)
        # edges came in the order of frontiers, which is that of the numbers
        return Graph(
            self.players,
            seat,
            got["public"],
            got["stage"],
            infoset,
            got["last"],
            got["reach"],
            got["worth"],
            _starts(edges),
            _starts(got["branches"]),
            got["chance"],
            got["child"],
            self._order(got, infoset, member, _starts(members)),
            _starts(got["width"]),
            got["owner"].astype(np.int8),
            _starts(members),
            member,
            got["action"].astype(np.int64),
        )

    def _order(self, got: Any, infoset: Ints, member: Ints, members: Ints) -> Ints:
        """Stages one after the other; within one, sets as they were found."""
        stage, child = got["stage"], got["child"]
        node = np.repeat(np.arange(self.size), got["edges"])
        node = np.repeat(node, got["branches"])
        leaves = got["public"][child] & (infoset[child] >= 0)
        pairs = np.unique(np.column_stack([stage[node[leaves]], child[leaves]]), axis=0)
        rank = ranked(self.size, pairs)
        first = stage[member[members[:-1]]]
        if (rank[first] < 0).any():
            raise ValueError("positions of this game come back: it cannot be solved backwards")
        return np.argsort(rank[first], kind="stable")


def expand(
    game: Game, open: bool = False, most: int = 1_000_000, progress: Progress = lambda line: None
) -> tuple[Graph, State]:
    """The graph of a game, and a state for each information set; `open` hides nothing."""
    return Expansion(game, open, most, progress).run()


def _starts(counts: Ints) -> Ints:
    """Where the parts of these lengths begin, and where the last one ends."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])


def _words(rows: Any) -> Hashes:
    """Rows of anything as rows of 64 bits."""
    raw = np.ascontiguousarray(rows).view(np.uint8).reshape(len(rows), -1)
    if spare := -raw.shape[1] % 8:
        raw = np.pad(raw, ((0, 0), (0, spare)))
    return raw.view(np.uint64)


def _chunks(rows: Ints, copies: int) -> list[Ints]:
    """Rows in parts, so that the copies of each fit into the memory."""
    width = CHUNK // copies
    return [rows[k : k + width] for k in range(0, len(rows), width)]
