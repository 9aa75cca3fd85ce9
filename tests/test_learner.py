"""The algorithm against numbers worked out by hand, and against slow, plain versions of itself."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import zip_longest
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor

from agents.network import Shape
from drago_env import MountDrago, Rules
from drago_env.core.trajectories import ENDED, OPEN, trajectories
from tests.adapters import same
from train.arguments import Arguments
from train.collect import Collector, Member, Rollout, Setup
from train.network import Network
from train.ppo import Batch, Learner, Loss, advantages, copy_loss, ppo_loss

GAME = MountDrago(*(Rules(players) for players in (2, 3, 4, 5)))
SHAPE = Shape.of(GAME, trunk=(16, 8), action=(8, 4))
SMALL = Arguments(trunk=SHAPE.trunk, action=SHAPE.action, threads=1, minibatch_size=100, seed=3)


pytestmark = pytest.mark.usefixtures("one_thread")


def opinionated(seed: int = 0) -> Network:
    """A network whose logits lie some units apart."""
    torch.manual_seed(seed)
    network = Network(SHAPE)
    with torch.no_grad():
        network.policy.weight.mul_(200.0)
        network.value.weight.mul_(100.0)
    return network


def collected(network: Network, games: int = 12, steps: int = 40, seed: int = 1) -> Rollout:
    collector = Collector(Setup(GAME, np.arange(4), SHAPE, games, steps, 0.5, 1), seed)
    collector.draw_from({0: Member("uniform")})
    return collector.collect(network.state_dict())


# ---------------------------------------------------------------- advantages, by hand

# One row, three seats. The first game ends with step 4; the second is not over when the stream
# breaks off. Rewards come in mid-game too, so that it matters between whose decisions they fall.
#                  step: 0     1     2    3    4     5     6    7     8
PLAYERS = np.array([[0], [1], [2], [0], [1], [0], [1], [2], [0]])
VALUES = np.array([[0.1, 0.2, -0.3, 0.4, 0.5, 0.6, -0.7, 0.8, -0.2]], np.float32).T
DONE = np.array([[step == 4] for step in range(9)])
PAID = np.zeros((9, 1, 3), np.float32)
PAID[1, 0] = 0.5, -0.25, -0.25
PAID[4, 0] = -0.5, 1.0, -0.5
PAID[6, 0] = 0.25, -0.5, 0.25
# What each decision brought its seat up to its next one:
#   0, seat 0: 0.5 of step 1, then it decides in step 3       0.5 + 0.4 - 0.1   =  0.8
#   1, seat 1: -0.25 of its own step, next in step 4        -0.25 + 0.5 - 0.2   =  0.05
#   2, seat 2: -0.5 at the end (step 1 was before it)        -0.5       + 0.3   = -0.2
#   3, seat 0: -0.5 at the end                               -0.5       - 0.4   = -0.9
#   4, seat 1: 1 at the end                                   1         - 0.5   =  0.5
#   5, seat 0: 0.25 of step 6, next in step 8 (value -0.2)    0.25 - 0.2 - 0.6  = -0.55
#   6, 7, 8:   open
# With a lambda of s, step 0 adds s * -0.9 (of step 3) and step 1 adds s * 0.5 (of step 4).
BY_HAND = {
    0.0: [0.8, 0.05, -0.2, -0.9, 0.5, -0.55],
    1.0: [-0.1, 0.55, -0.2, -0.9, 0.5, -0.55],  # 0.8 - 0.9 and 0.05 + 0.5
    0.95: [-0.055, 0.525, -0.2, -0.9, 0.5, -0.55],  # 0.8 - 0.855 and 0.05 + 0.475
}
RETURNS = {  # the advantage and the value; with 1 the plain sum of the seat's rewards
    0.0: [0.9, 0.25, -0.5, -0.5, 1.0, 0.05],
    1.0: [0.0, 0.75, -0.5, -0.5, 1.0, 0.05],
    0.95: [0.045, 0.725, -0.5, -0.5, 1.0, 0.05],
}


# If step 4 cut the first game off, and the network thought 0.3, -0.2 and 0.6 of what the seats saw
# then, each seat's last decision gets that on top of what it was paid:
#   2, seat 2: -0.5 + 0.6 + 0.3 = 0.4;  3, seat 0: -0.5 + 0.3 - 0.4 = -0.6;
#   4, seat 1: 1 - 0.2 - 0.5 = 0.3;     0 and 1 as above, then s * -0.6 and s * 0.3
LEFT = np.zeros_like(PAID)
LEFT[4, 0] = 0.3, -0.2, 0.6
CUT_BY_HAND = {
    0.0: [0.8, 0.05, 0.4, -0.6, 0.3, -0.55],
    1.0: [0.2, 0.35, 0.4, -0.6, 0.3, -0.55],
    0.95: [0.23, 0.335, 0.4, -0.6, 0.3, -0.55],
}


def stream(rows: int = 1, left: NDArray[np.float32] | None = None) -> Rollout:
    """The stream above, in as many rows; nothing of the game is in it but the numbers."""
    players, values, done, paid = (np.repeat(a, rows, 1) for a in (PLAYERS, VALUES, DONE, PAID))
    rewards, following = trajectories(players, paid, done, left)
    size = following.shape
    return Rollout(
        observation=np.zeros((*size, 2), np.float32),
        actions=np.zeros((*size, 3), np.int32),
        counts=np.ones(size, np.int64),
        features=np.zeros((following.size, 2), np.float32),
        picks=np.zeros(size, np.int64),
        log_probs=np.zeros(size, np.float32),
        values=values,
        rewards=rewards,
        following=following,
        learned=following != OPEN,
        seconds=0.0,
        lessons=np.zeros((*size, 0), np.float32),
    )


@pytest.mark.parametrize("gae_lambda", BY_HAND)
def test_advantages_are_those_worked_out_by_hand(gae_lambda: float) -> None:
    rollout = stream()
    assert rollout.following[:, 0].tolist() == [3, 4, ENDED, ENDED, ENDED, 8, OPEN, OPEN, OPEN]
    expected = [*BY_HAND[gae_lambda], 0.0, 0.0, 0.0]
    assert advantages(rollout, gae_lambda)[:, 0] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("gae_lambda", CUT_BY_HAND)
def test_a_game_that_was_cut_off_is_bootstrapped_for_every_seat(gae_lambda: float) -> None:
    rollout = stream(left=LEFT)
    assert same(rollout.following, stream().following)
    expected = [*CUT_BY_HAND[gae_lambda], 0.0, 0.0, 0.0]
    assert advantages(rollout, gae_lambda)[:, 0] == pytest.approx(expected, abs=1e-6)


def test_only_an_end_can_leave_something_to_expect() -> None:
    wrong = np.zeros_like(PAID)
    wrong[3] = 0.1
    for left in (wrong, LEFT[:, :, :2], LEFT[:4]):
        with pytest.raises(ValueError, match=r"truncated must be of shape \(9, 1, 3\)"):
            stream(left=left)


@pytest.mark.parametrize("gae_lambda", BY_HAND)
def test_the_batch_holds_the_returns_and_learns_no_open_decision(gae_lambda: float) -> None:
    batch, rows = Batch.of([stream()], gae_lambda)
    assert rows.tolist() == [0, 1, 2, 3, 4, 5]
    assert batch.returns[rows].numpy() == pytest.approx(RETURNS[gae_lambda], abs=1e-6)
    raw = np.array(BY_HAND[gae_lambda])  # the open decisions have no part in mean and deviation
    assert batch.advantages[rows].numpy() == pytest.approx((raw - raw.mean()) / raw.std(), abs=1e-5)


def test_a_game_does_not_reach_into_the_one_before_it() -> None:
    first, later = stream(), stream()
    later.values[5:] = 9.0
    later.rewards[5:] = 7.0
    for gae_lambda in BY_HAND:
        one, other = (advantages(rollout, gae_lambda) for rollout in (first, later))
        assert one[:5].tolist() == other[:5].tolist()
        assert one[5] != other[5]


def test_rows_and_collectors_do_not_mix() -> None:
    wide = stream(2)
    wide.values[:, 1] += 0.25
    alone = stream()
    alone.values[:] += 0.25
    got = advantages(wide, 0.95)
    assert got[:, :1].tolist() == advantages(stream(), 0.95).tolist()
    assert got[:, 1:].tolist() == advantages(alone, 0.95).tolist()
    joined, rows = Batch.of([stream(), alone], 0.95)
    assert rows.tolist() == [0, 1, 2, 3, 4, 5, 9, 10, 11, 12, 13, 14]
    one, _ = Batch.of([wide], 0.95)
    assert torch.equal(joined.returns, one.returns.reshape(9, 2).T.reshape(-1))


# ---------------------------------------------------------------- the loss, by brute force


def softmax_of_legal(logits: NDArray[Any], count: int) -> list[float]:
    powers = [math.exp(float(logit)) for logit in logits[:count]]
    return [power / sum(powers) for power in powers]


def slow_loss(network: Network, batch: Batch, told: Arguments) -> list[float]:
    """PPO row by row in plain Python: all terms of `Loss`."""
    with torch.no_grad():
        logits, values = (part.numpy() for part in network(*batch[:4]))
    terms = np.zeros(6)
    for row in range(len(values)):
        chances = softmax_of_legal(logits[row], int(batch.counts[row]))
        old, good = float(batch.log_probs[row]), float(batch.advantages[row])
        ratio = chances[int(batch.picks[row])] / math.exp(old)
        near = min(max(ratio, 1 - told.clip_coef), 1 + told.clip_coef)
        policy = -min(ratio * good, near * good)
        value = (float(values[row]) - float(batch.returns[row])) ** 2
        entropy = -sum(chance * math.log(chance) for chance in chances)
        total = policy + told.vf_coef * value - told.ent_coef * entropy
        kl = ratio - 1 - math.log(ratio)
        terms += [total, policy, value, entropy, kl, ratio != near]
    return terms.tolist()


def batch_of(network: Network) -> Batch:
    """Ten decisions: every side of the clip, with good and with bad advantages."""
    everything, rows = Batch.of([collected(network)], 0.95)
    several = [row for row in rows.tolist() if everything.counts[row] > 2][:10]
    batch = everything.pick(torch.tensor(several))
    change = torch.tensor([0.5, 0.79, 0.81, 1.19, 1.21, 2.0, 0.5, 0.9, 1.1, 2.0]).log()
    good = torch.tensor([1.0, -1.0, 2.0, -2.0, 1.5, 0.5, -0.5, 1.0, -3.0, -1.0])
    return batch._replace(log_probs=batch.log_probs - change, advantages=good)


def test_probabilities_are_a_softmax_over_the_legal_actions_alone() -> None:
    network = opinionated()
    rollout = collected(network)
    batch, _ = Batch.of([rollout], 0.95)
    with torch.no_grad():
        logits, _ = network(*batch[:4])
        log_probs = torch.log_softmax(logits, 1)
    assert np.ptp(log_probs[batch.counts > 1].max(1).values.numpy()) > 1  # it has opinions
    for row, (count, pick) in enumerate(zip(batch.counts, batch.picks, strict=True)):
        chances = softmax_of_legal(logits[row].numpy(), int(count))
        assert log_probs[row].exp()[:count].numpy() == pytest.approx(chances, abs=1e-6)
        assert (log_probs[row].exp()[count:] == 0).all()
        assert pick < count
        assert float(batch.log_probs[row]) == pytest.approx(math.log(chances[pick]), abs=1e-4)


def test_the_loss_is_that_of_a_slow_plain_version() -> None:
    network, told = opinionated(), replace(SMALL, clip_coef=0.2, ent_coef=0.3, vf_coef=0.7)
    batch = batch_of(network)
    loss = ppo_loss(network, batch, told)
    assert [float(term.detach()) for term in loss] == pytest.approx(
        slow_loss(network, batch, told), abs=1e-4
    )
    assert int(loss.clipped) == 6


def gradient(network: Network, batch: Batch, told: Arguments = SMALL) -> list[Tensor]:
    loss = ppo_loss(network, batch, told)
    parameters = list(network.parameters())
    return list(torch.autograd.grad(loss.total / len(batch.picks), parameters))


@pytest.mark.parametrize("place", range(10))
def test_the_clip_stops_only_what_goes_too_far(place: int) -> None:
    """A raise that pays and is large already, or a cut of what was bad, has no more gradient."""
    network, told = opinionated(), replace(SMALL, ent_coef=0.0, vf_coef=0.0, clip_coef=0.2)
    batch = batch_of(network).pick(torch.tensor([place]))
    stopped = place in (1, 4, 5, 6)  # ratio and sign of the advantage in `batch_of`
    length = sum(float(part.abs().sum()) for part in gradient(network, batch, told))
    assert (length == 0) == stopped


def test_no_gradient_flows_into_what_is_not_legal() -> None:
    network = opinionated()
    clean = batch_of(network)
    past = torch.arange(clean.actions.shape[1]) >= clean.counts[:, None]
    listed = torch.unique(clean.actions[~past])
    absent = [a for a in range(SHAPE.num_actions) if a not in listed]
    features = torch.full((*past.shape, SHAPE.feature_size), torch.nan)
    features[~past] = clean.features
    garbage = clean._replace(
        actions=torch.where(past, absent[0], clean.actions),
        features=features.requires_grad_(),
    )
    loss = ppo_loss(network, garbage, SMALL).total
    assert float(loss.detach()) == float(ppo_loss(network, clean, SMALL).total.detach())
    weights = network.embedding.weight
    at_features, at_rows = torch.autograd.grad(loss, (garbage.features, weights))
    assert (at_features[past] == 0).all()
    assert (at_features[~past] != 0).any(1).float().mean() > 0.8  # some units are silent
    assert (at_rows[absent] == 0).all()
    assert (at_rows[listed] != 0).any(1).float().mean() > 0.8
    for one, other in zip(gradient(network, clean), gradient(network, garbage), strict=True):
        assert torch.equal(one, other)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_parts_of_a_minibatch_add_up_to_its_gradient(threads: int) -> None:
    learner = Learner(SHAPE, replace(SMALL, threads=threads, max_grad_norm=1000.0))
    learner.network.load_state_dict(opinionated().state_dict())
    batch = batch_of(learner.network)
    whole, terms = gradient(learner.network, batch), slow_loss(learner.network, batch, SMALL)
    sums = learner._step(batch, torch.arange(10))
    assert sums.tolist() == pytest.approx(terms, abs=1e-4)
    for parameter, expected in zip(learner.parameters, whole, strict=True):
        assert parameter.grad is not None
        assert expected.abs().max() > 0
        assert (parameter.grad - expected).abs().max() < 1e-6


def test_a_long_gradient_is_cut_to_its_largest_length() -> None:
    learner = Learner(SHAPE, replace(SMALL, max_grad_norm=0.01))
    learner.network.load_state_dict(opinionated().state_dict())
    learner._step(batch_of(learner.network), torch.arange(10))
    lengths = [float(p.grad.norm()) for p in learner.parameters if p.grad is not None]
    assert math.hypot(*lengths) == pytest.approx(0.01, rel=1e-3)


def test_two_threads_learn_the_same_twice_to_the_last_bit() -> None:
    learned = []
    for _ in range(2):
        learner = Learner(SHAPE, replace(SMALL, threads=2))
        rollout = collected(opinionated())
        metrics = [learner.update([rollout], 1.0), learner.update([rollout], 0.5)]
        learned.append((metrics, {n: w.tobytes() for n, w in learner.network.weights().items()}))
    assert learned[0] == learned[1]


def test_the_learning_rate_falls_with_what_is_left() -> None:
    rollout = collected(opinionated())
    moved = []
    for left in (1.0, 0.1, 0.0):
        learner = Learner(SHAPE, SMALL)
        before = learner.network.value.weight.detach().clone()
        learner.update([rollout], left)
        moved.append(float((learner.network.value.weight.detach() - before).abs().sum()))
    assert moved[0] > 3 * moved[1] > 0 == moved[2]


# ---------------------------------------------------------------- what is learned


def fixed(picks: list[int], rewards: list[float], like: Rollout) -> Rollout:
    """One position again and again, with these choices, each of which ended its game."""
    n = len(picks)
    step, row = np.argwhere(like.counts > 2)[0]
    observation, actions, counts = (
        np.repeat(part[step, row][None, None], n, 1) for part in like[:3]
    )
    first = int(like.counts.ravel()[: step * like.counts.shape[1] + row].sum())
    features = np.tile(like.features[first : first + like.counts[step, row]], (n, 1))
    ended = np.full((1, n), ENDED)
    return Rollout(
        *(observation, actions, counts, features, np.array([picks])),
        log_probs=-np.log(counts).astype(np.float32),
        values=np.zeros((1, n), np.float32),
        rewards=np.array([rewards], np.float32),
        following=ended,
        learned=ended == ENDED,
        seconds=0.0,
        lessons=np.zeros((1, n, 0), np.float32),
    )


def test_what_always_loses_becomes_less_likely() -> None:
    learner = Learner(SHAPE, replace(SMALL, ent_coef=0.0, learning_rate=0.01))
    rollout = fixed([0, 1] * 64, [-1.0, 1.0] * 64, collected(learner.network))
    batch, _ = Batch.of([rollout], 0.95)

    def chances() -> tuple[list[float], float]:
        with torch.no_grad():
            logits, values = learner.network(*batch[:4])
        return torch.softmax(logits[0], 0).tolist(), float(values[0])

    before, _ = chances()
    for _ in range(10):
        metrics = learner.update([rollout], 1.0)
    after, value = chances()
    assert after[0] < 0.9 * before[0]
    assert after[1] > before[1]
    assert abs(value) < 0.2  # half of them won
    assert set(metrics) == {*Loss._fields, "explained"}


def test_the_value_learns_what_the_games_paid() -> None:
    learner = Learner(SHAPE, replace(SMALL, ent_coef=0.0))
    rollout = fixed([0] * 64, [-1.0] * 64, collected(learner.network))
    batch, _ = Batch.of([rollout], 0.95)
    for _ in range(60):
        learner.update([rollout], 1.0)
    with torch.no_grad():
        assert float(learner.network(*batch[:4])[1][0]) < -0.7


def lesson(rollout: Rollout, shares: list[float]) -> Rollout:
    """The same decisions, of each of which a teacher thinks so."""
    lessons = np.zeros(rollout.actions.shape, np.float32)
    lessons[..., : len(shares)] = shares
    return rollout._replace(lessons=lessons)


@pytest.mark.parametrize("kind", ["forward", "reverse"])
def test_the_distance_from_a_teacher_is_that_of_a_slow_plain_version(kind: Any) -> None:
    network, shares = opinionated(), [0.5, 0.3, 0.2]
    everything, rows = Batch.of([lesson(collected(network), shares)], 0.95)
    several = [row for row in rows.tolist() if everything.counts[row] > 2][:10]
    batch = everything.pick(torch.tensor(several))
    with torch.no_grad():
        logits, values = (part.numpy() for part in network(*batch[:4]))
    policy, entropy = 0.0, 0.0
    for row, count in enumerate(batch.counts.tolist()):
        chances = softmax_of_legal(logits[row], count)
        for share, chance in zip_longest(shares[:count], chances, fillvalue=0.0):
            reverse = chance * math.log(max(share, 1e-30) / chance)
            policy -= share * math.log(chance) if kind == "forward" else reverse
        entropy -= sum(chance * math.log(chance) for chance in chances)
    value = float(np.square(values - batch.returns.numpy()).sum())
    total = policy + SMALL.vf_coef * value
    asked = replace(SMALL, lesson_kl=kind)
    loss = [float(term.detach()) for term in copy_loss(network, batch, asked)]
    assert loss == pytest.approx([total, policy, value, entropy, 0, 0], abs=1e-4)


def test_a_lesson_is_copied_whatever_came_of_it() -> None:
    learner = Learner(SHAPE, replace(SMALL, learning_rate=0.01))
    played = fixed([0, 1] * 64, [1.0, -1.0] * 64, collected(learner.network))
    rollout = lesson(played, [0.1, 0.7, 0.2])
    batch, _ = Batch.of([rollout], 0.95)
    for _ in range(30):
        learner.update([rollout], 1.0)
    with torch.no_grad():
        chances = torch.softmax(learner.network(*batch[:4])[0][0], 0).tolist()
    assert chances[:3] == pytest.approx([0.1, 0.7, 0.2], abs=0.02)


@pytest.mark.parametrize(("kind", "likes"), [("forward", 1), ("reverse", 0)])
def test_the_noise_of_lessons_averages_out_by_the_reverse_divergence(kind: Any, likes: int) -> None:
    """Two actions are worth 4 and, with noise, 6, 6 or -3. A copy of all that was liked follows
    the second; the reverse divergence is linear in the values, so it compares 4 and 3.
    """
    learner = Learner(SHAPE, replace(SMALL, learning_rate=0.01, lesson_kl=kind))
    played = fixed([0, 1] * 64, [0.0, 0.0] * 64, collected(learner.network))
    lessons = np.zeros(played.actions.shape, np.float32)
    loud = np.where(np.arange(len(played.picks[0]))[None] % 3 < 2, 6.0, -3.0)
    powers = np.exp(np.stack([np.full(loud.shape, 4.0), loud, np.zeros(loud.shape)], 2))
    lessons[..., :3] = powers / powers.sum(2, keepdims=True)
    rollout = played._replace(lessons=lessons)
    batch, _ = Batch.of([rollout], 0.95)
    for _ in range(30):
        learner.update([rollout], 1.0)
    with torch.no_grad():
        assert int(learner.network(*batch[:4])[0][0].argmax()) == likes


def test_nothing_to_learn_from_changes_nothing() -> None:
    learner = Learner(SHAPE, SMALL)
    before = learner.network.weights()
    rollout = collected(learner.network)
    learner.update([rollout._replace(learned=np.zeros_like(rollout.learned))], 1.0)
    assert all((w == before[n]).all() for n, w in learner.network.weights().items())
