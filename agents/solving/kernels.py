"""What a solver does often, compiled: hashes, orders, best responses and MCCFR on a graph.

Policies are one number for each choice. Values are those of seat 0 in a game of two.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from drago_env.core.chance import GOLDEN, mixed
from drago_env.core.compiled import compiled, inlined

_S11 = np.uint64(11)


@compiled
def hashed(words: Any) -> Any:
    """A number for each row, different for different rows but for one chance in 2 ** 64."""
    out = np.empty(len(words), np.uint64)
    for row in range(len(words)):
        total = GOLDEN
        for word in words[row]:
            total = mixed(total + GOLDEN ^ word)
        out[row] = total
    return out


@compiled
def ranked(size: Any, pairs: Any) -> Any:
    """Numbers that rise from the first to the second of every pair; -1 on and after a circle."""
    begins, waits = np.zeros(size + 1, np.int64), np.zeros(size, np.int64)
    for pair in range(len(pairs)):
        begins[pairs[pair, 0] + 1] += 1
        waits[pairs[pair, 1]] += 1
    begins = np.cumsum(begins)
    queue, rank = np.empty(size, np.int64), np.full(size, -1)
    end = 0
    for node in range(size):
        if waits[node] == 0:
            queue[end] = node
            end += 1
    place = 0
    while place < end:
        node = queue[place]
        rank[node] = place
        place += 1
        for pair in range(begins[node], begins[node + 1]):  # pairs are sorted
            waits[pairs[pair, 1]] -= 1
            if waits[pairs[pair, 1]] == 0:
                queue[end] = pairs[pair, 1]
                end += 1
    return rank


@inlined
def edge_value(graph: Any, edge: Any, values: Any) -> Any:
    """What a choice is worth at a position, over all that chance does."""
    total = 0.0
    for branch in range(graph.branches[edge], graph.branches[edge + 1]):
        total += graph.chance[branch] * values[graph.child[branch]]
    return total


@compiled
def respond(graph: Any, policy: Any, responder: Any, best: Any) -> Any:
    """The value of every position if one seat answers the policy of the other as well as it can.

    The answer is written to `best`. Without a responder (-1) both play by the policy.
    """
    values, reach = graph.worth[:, 0].copy(), np.where(graph.public, 1.0, 0.0)
    for infoset in graph.order:
        free = graph.owner[infoset] == responder
        for place in range(graph.members[infoset], graph.members[infoset + 1]):
            node = graph.member[place]
            choice = graph.choices[infoset]
            for edge in range(graph.edges[node], graph.edges[node + 1]):
                weight = reach[node] if free else reach[node] * policy[choice]
                choice += 1
                for branch in range(graph.branches[edge], graph.branches[edge + 1]):
                    if not graph.public[graph.child[branch]]:
                        reach[graph.child[branch]] += weight * graph.chance[branch]
    sign = -1.0 if responder == 1 else 1.0
    for infoset in graph.order[::-1]:
        begin, end = graph.choices[infoset], graph.choices[infoset + 1]
        if graph.owner[infoset] == responder:
            gains = np.zeros(end - begin)
            for place in range(graph.members[infoset], graph.members[infoset + 1]):
                node = graph.member[place]
                for k in range(end - begin):
                    gained = edge_value(graph, graph.edges[node] + k, values)
                    gains[k] += sign * reach[node] * gained
            best[begin:end] = 0.0
            best[begin + np.argmax(gains)] = 1.0
        chosen = best if graph.owner[infoset] == responder else policy
        for place in range(graph.members[infoset], graph.members[infoset + 1]):
            node = graph.member[place]
            total = 0.0
            for k in range(end - begin):
                if chosen[begin + k] > 0.0:
                    gained = edge_value(graph, graph.edges[node] + k, values)
                    total += chosen[begin + k] * gained
            values[node] = total
    return values


@inlined
def drawn(rng: Any) -> Any:
    """A random number from 0 up to, but not with, 1."""
    rng[0] += GOLDEN
    return np.float64(mixed(rng[0]) >> _S11) * 2.0**-53


@inlined
def follow(graph: Any, edge: Any, rng: Any) -> Any:
    """The position to which chance leads."""
    last = graph.branches[edge + 1] - 1
    branch = graph.branches[edge]
    if branch < last:
        rest = drawn(rng)
        while branch < last and rest >= graph.chance[branch]:
            rest -= graph.chance[branch]
            branch += 1
    return graph.child[branch]


@inlined
def matched(regret: Any, begin: Any, end: Any, out: Any) -> None:
    """Regret matching: choices in proportion to what was missed by not making them."""
    total = 0.0
    for k in range(end - begin):
        out[k] = max(regret[begin + k], 0.0)
        total += out[k]
    for k in range(end - begin):
        out[k] = out[k] / total if total > 0.0 else 1.0 / (end - begin)


@compiled
def pick(regret: Any, weight: Any, begin: Any, end: Any, rng: Any) -> Any:
    """A choice by regret matching, whose chances are added to the average."""
    if end - begin == 1:
        return 0
    policy = np.empty(end - begin)
    matched(regret, begin, end, policy)
    for k in range(end - begin):
        weight[begin + k] += policy[k]
    rest = drawn(rng)
    for k in range(end - begin - 1):
        rest -= policy[k]
        if rest < 0.0:
            return k
    return end - begin - 1


@compiled
def sample(graph: Any, node: Any, learner: Any, rng: Any, sums: Any, memory: Any) -> Any:
    """External sampling: all choices of one seat, one of the other and of chance; its value.

    In one iteration the other seat makes one choice in each information set, so a position has one
    value, however it is reached, and is gone through once.
    """
    if graph.seat[node] < -1:
        return graph.worth[node, learner]
    regret, weight = sums
    values, done, picks, picked, now = memory
    if done[node] == now[0]:
        return values[node]
    done[node] = now[0]
    infoset = graph.infoset[node]
    begin, end = graph.choices[infoset], graph.choices[infoset + 1]
    edge = graph.edges[node]
    if graph.seat[node] != learner:
        if picked[infoset] != now[0]:
            picked[infoset] = now[0]
            picks[infoset] = pick(regret, weight, begin, end, rng)
        after = follow(graph, edge + picks[infoset], rng)
        values[node] = sample(graph, after, learner, rng, sums, memory)
        return values[node]
    policy, gains, mean = np.empty(end - begin), np.empty(end - begin), 0.0
    matched(regret, begin, end, policy)
    for k in range(end - begin):
        gains[k] = sample(graph, follow(graph, edge + k, rng), learner, rng, sums, memory)
        mean += policy[k] * gains[k]
    for k in range(end - begin):
        regret[begin + k] += gains[k] - mean
    values[node] = mean
    return mean


@compiled
def iterate(graph: Any, iterations: Any, rng: Any, sums: Any) -> None:
    """So many iterations of MCCFR, each with every seat as the learner."""
    nodes, sets = len(graph.seat), len(graph.owner)
    memory = (
        np.zeros(nodes),
        np.zeros(nodes, np.int64),
        np.zeros(sets, np.int64),
        np.zeros(sets, np.int64),
        np.zeros(1, np.int64),
    )
    for _ in range(iterations):
        for learner in range(graph.worth.shape[1]):
            memory[4][0] += 1
            sample(graph, np.int64(0), learner, rng, sums, memory)
