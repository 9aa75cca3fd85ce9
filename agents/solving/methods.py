"""Policies on a graph: exact ones, those of MCCFR and of agents, and how well they can be answered.

A policy is an array with a number for each choice of the graph.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import coo_matrix, csr_matrix, hstack

from agents.solving.graph import CHANCE, END, Graph, Ints, Progress
from agents.solving.kernels import iterate, respond
from drago_env.core.chance import mix
from drago_env.core.checks import seed_array, select, whole
from drago_env.game import Game, State
from drago_env.policy import Policy, RowGenerator, Uniform, ask, sees_all

Floats = NDArray[np.float64]
ROWS = 1 << 13  # decisions that an agent is asked for together


# ---------------------------------------------------------------- answers


@dataclass(frozen=True)
class Answers:
    """How a policy of both seats does against itself and against the best answers."""

    value: float  # of seat 0, if both play by it
    responses: tuple[float, float]  # what a best response gets as seat 0 and as seat 1

    @property
    def exploitability(self) -> float:
        """What a best response wins a game, the mean over both seats; 0 only for perfect play."""
        return sum(self.responses) / 2


def answers(graph: Graph, policy: Floats) -> Answers:
    """The exact value of a policy, and of the best responses to it."""
    two_players(graph, "best responses")
    best = np.zeros(len(policy))
    mean, first, second = (float(respond(graph, policy, seat, best)[0]) for seat in (-1, 0, 1))
    return Answers(mean, (first, -second))


def against(graph: Graph, first: Floats, second: Floats) -> float:
    """What seat 0 gets by the first policy if seat 1 plays by the second."""
    mixed = np.where(graph.owner[graph.chooser] == 1, second, first)
    return float(respond(graph, mixed, -1, np.zeros(len(mixed)))[0])


def two_players(graph: Graph, what: str) -> None:
    """Refuses what is only defined, or only done here, for two players."""
    if graph.players != 2:
        raise ValueError(
            f"{what}: only for 2 players, not {graph.players}; with --open the exact values of "
            "any number are found, each seat doing what is best for itself"
        )


def uniform(graph: Graph) -> Floats:
    """Every choice of a set is equally likely."""
    widths = np.diff(graph.choices)
    return np.repeat(1.0 / widths, widths)


# ---------------------------------------------------------------- exact


class Exact:
    """Values backwards, stage by stage: each is a game of its own.

    In a stage of one decision the seat on turn takes what is best for it. Any other is a linear
    program over the sequences of a player's own choices (Koller, Megiddo and von Stengel).
    """

    def __init__(self, graph: Graph, progress: Progress = lambda line: None) -> None:
        self.graph, self.progress = graph, progress
        self.values = graph.worth.copy()
        self.policy = np.zeros(len(graph.action))
        stage = graph.stage[graph.member[graph.members[:-1]]]  # of each information set
        roots, begins = np.unique(stage[graph.order], return_index=True)
        by_rank = np.argsort(begins)
        self._sets = np.split(graph.order, begins[by_rank][1:])
        self._roots = roots[by_rank]
        self._exits()

    def run(self) -> NDArray[np.float64]:
        """What the game is worth to each seat."""
        told, count = time.monotonic(), len(self._roots)
        for k in reversed(range(count)):
            root, sets = int(self._roots[k]), self._sets[k]
            if len(sets) == 1:
                self._choose(root, int(sets[0]))
            else:
                two_players(self.graph, "hidden information")
                self._program(root, sets)
            if time.monotonic() - told > 2:
                told = time.monotonic()
                self.progress(f"{count - k:,} of {count:,} stages solved")
        return np.asarray(self.values[0])

    def _exits(self) -> None:
        """The branches that leave a stage, ordered by it, with the sequences that lead there."""
        g = self.graph
        node = np.repeat(np.arange(len(g.seat)), np.diff(g.edges))
        choice = g.choices[g.infoset[node]] + np.arange(len(node)) - g.edges[node]
        edge = np.repeat(np.arange(len(node)), np.diff(g.branches))
        leaves = np.flatnonzero(g.public[g.child])
        leaves = leaves[np.argsort(g.stage[node[edge[leaves]]], kind="stable")]
        edge = edge[leaves]
        node, choice = node[edge], choice[edge]
        last = g.last[node]
        decided = g.seat[node] >= 0
        last[decided, g.seat[node[decided]]] = choice[decided]
        self._last, self._child = last, g.child[leaves]
        self._weight = g.reach[node] * g.chance[leaves]
        self._stage_of_exit = g.stage[node]

    def _part(self, root: int) -> slice:
        low, high = np.searchsorted(self._stage_of_exit, [root, root + 1])
        return slice(int(low), int(high))

    def _choose(self, root: int, infoset: int) -> None:
        """One position whose choices all lead out of the stage."""
        g = self.graph
        edges = slice(g.edges[root], g.edges[root + 1])
        branches = slice(g.branches[edges.start], g.branches[edges.stop])
        shares = g.chance[branches, None] * self.values[g.child[branches]]
        begins = g.branches[edges] - branches.start
        found = np.add.reduceat(shares, begins)
        seat = int(g.seat[root])
        best = 0 if seat == CHANCE else int(found[:, seat].argmax())
        self.policy[g.choices[infoset] + best] = 1.0
        self.values[root] = found[best]

    def _program(self, root: int, sets: Ints) -> None:
        """A stage with hidden information, as a linear program."""
        plans = [Plan(self.graph, sets[self.graph.owner[sets] == seat]) for seat in (0, 1)]
        part = self._part(root)
        rows, columns = (plans[k].local(self._last[part, k]) for k in (0, 1))
        pays = self._weight[part] * self.values[self._child[part], 0]
        shape = (plans[0].size, plans[1].size)
        value, weights = saddle(coo_matrix((pays, (rows, columns)), shape=shape).tocsr(), plans)
        self.values[root] = value, -value
        for plan, weight in zip(plans, weights, strict=True):
            self.policy[plan.choices] = plan.behaviour(weight)
        if self.graph.seat[root] == CHANCE:
            self.policy[self.graph.choices[self.graph.infoset[root]]] = 1.0


class Plan:
    """The sequences of one seat's own choices in a stage; 0 is the empty one."""

    def __init__(self, graph: Graph, sets: Ints) -> None:
        begins, widths = graph.choices[sets], graph.choices[sets + 1] - graph.choices[sets]
        self.set = np.repeat(np.arange(len(sets)), widths)
        inside = np.arange(len(self.set)) - np.repeat(np.cumsum(widths) - widths, widths)
        self.choices = begins[self.set] + inside
        self._sorted = np.argsort(self.choices)
        self.size, self.widths = len(self.choices) + 1, widths
        first = graph.member[graph.members[sets]]
        self.before = self.local(graph.last[first, graph.owner[sets[0]]] if len(sets) else first)

    def local(self, choices: Ints) -> Ints:
        """The sequence that ends with each of these choices."""
        place = np.searchsorted(self.choices, choices, sorter=self._sorted)
        found = self._sorted[np.minimum(place, len(self._sorted) - 1)] if self.size > 1 else 0
        return np.where(choices < 0, 0, found + 1)

    def constraints(self) -> Any:
        """Rows: the empty sequence has weight 1, and every set keeps the weight before it."""
        sets, count = len(self.widths), self.size - 1
        rows = np.concatenate([[0], np.arange(1, sets + 1), self.set + 1])
        columns = np.concatenate([[0], self.before, np.arange(1, count + 1)])
        values = np.concatenate([[1.0], -np.ones(sets), np.ones(count)])
        return coo_matrix((values, (rows, columns)), shape=(sets + 1, self.size)).tocsr()

    def behaviour(self, weights: Floats) -> Floats:
        """The chance of each choice in its set; where the plan never comes, all are equal."""
        own = np.maximum(weights[1:], 0.0)
        total = np.bincount(self.set, own, len(self.widths))[self.set]
        even = 1.0 / self.widths[self.set]
        return np.where(total > 1e-12, own / np.where(total > 1e-12, total, 1.0), even)


def saddle(pays: Any, plans: list[Plan]) -> tuple[float, tuple[Floats, Floats]]:
    """The value of a stage for seat 0, and the best weights of both seats' sequences."""
    own, other = plans[0].constraints(), plans[1].constraints()
    aim, start = np.zeros(pays.shape[0] + other.shape[0]), np.zeros(own.shape[0])
    aim[pays.shape[0]], start[0] = -1.0, 1.0
    bounds = [(0, None)] * pays.shape[0] + [(None, None)] * other.shape[0]
    found = linprog(
        aim,
        A_ub=hstack([-pays.T, other.T]).tocsr(),
        b_ub=np.zeros(pays.shape[1]),
        A_eq=hstack([own, csr_matrix((own.shape[0], other.shape[0]))]).tocsr(),
        b_eq=start,
        bounds=bounds,
        method="highs",
    )
    if found.status != 0:
        raise ArithmeticError(f"the linear program of a stage was not solved: {found.message}")
    return -float(found.fun), (found.x[: pays.shape[0]], -found.ineqlin.marginals)


# ---------------------------------------------------------------- MCCFR


class Mccfr:
    """Counterfactual regret minimisation with external sampling; `policy` is the average one."""

    def __init__(self, graph: Graph, seed: int = 0) -> None:
        two_players(graph, "MCCFR")
        self.graph, self.iterations = graph, 0
        self._rng = mix(seed_array(seed))
        self._regret, self._weight = np.zeros((2, len(graph.action)))

    def run(self, iterations: int) -> None:
        """Goes on for so many iterations."""
        iterate(self.graph, iterations, self._rng, (self._regret, self._weight))
        self.iterations += iterations

    @property
    def policy(self) -> Floats:
        """The average over all iterations; even where it never came."""
        widths = np.diff(self.graph.choices)
        total = np.add.reduceat(self._weight, self.graph.choices[:-1])
        total = np.repeat(total, widths)
        even = uniform(self.graph)
        return np.where(total > 0, self._weight / np.where(total > 0, total, 1.0), even)


# ---------------------------------------------------------------- agents


def policy_of(
    graph: Graph, game: Game, samples: State, agent: Policy, draws: int = 16, seed: int = 0
) -> Floats:
    """What an agent does in each information set, as it answers in so many draws."""
    if isinstance(agent, Uniform):
        return uniform(graph)
    if sees_all(agent):
        raise ValueError(f"{agent.name} is told what is hidden: its choices are no policy")
    whole("draws", draws, 1)
    widths = np.diff(graph.choices)
    counts = np.where(np.repeat(widths, widths) == 1, 1.0, 0.0)
    asked = np.repeat(np.flatnonzero(widths > 1), draws)
    numbers = mix(np.arange(len(asked), dtype=np.uint64) + mix(seed_array(seed)))
    rng = RowGenerator(np.random.PCG64(seed))
    for k in range(0, len(asked), ROWS):
        sets = asked[k : k + ROWS]
        state = select(samples, sets)
        rows = np.arange(len(sets))
        chosen = ask(agent, game, state, game.look(state), rows, rng, numbers[k : k + ROWS])
        spread = np.arange(widths[sets].max())
        place = graph.choices[sets][:, None] + np.minimum(spread, widths[sets][:, None] - 1)
        hit = (graph.action[place] == chosen[:, None]).argmax(1)
        np.add.at(counts, graph.choices[sets] + hit, 1.0 / draws)
    return counts


def sizes(graph: Graph) -> dict[str, int]:
    """How large a graph is."""
    return {
        "positions": len(graph.seat),
        "ends": int((graph.seat == END).sum()),
        "stages": len(np.unique(graph.stage[graph.seat != END])),
        "information_sets": len(graph.owner) - 1,
        "choices": len(graph.action) - 1,
    }
