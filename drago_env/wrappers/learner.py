"""One learner against opponents, in a batch: what the Gymnasium and SB3 adapters share."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import ArrayLike, NDArray

from drago_env.core.chance import mix
from drago_env.core.checks import checked_arrays, entry, one_of, select, whole
from drago_env.core.files import DAMAGE
from drago_env.core.outcome import standings
from drago_env.game import Game, State, StateError
from drago_env.moved import refuses
from drago_env.policy import Policy, RowGenerator, View, ask, resolve_all, streams
from drago_env.thumbs import has_thumbs, near_gaps

Opponents = str | Policy | Sequence[str | Policy] | None
# whether an observation is an array alone; "features", "thumbs": with that of all actions
Flat = bool | str
Observation = NDArray[np.float32] | dict[str, NDArray[Any]]
ILLEGAL = ("raise", "end", "random")
FORFEIT = -1.0  # what an illegal action pays where it ends the game, as in PettingZoo's wrapper
_VARIANT = np.uint64(0x7AB1E)  # what a deal's random number is for


@refuses("LearnerBatch(game, num_envs, ...): the game knows its players", "players", opponents=int)
class LearnerBatch:
    """Games that stop only where the learner decides; opponents are asked in batches.

    At each reset a game draws its learner's seat (unless `seat` is fixed) and an opponent for every
    other seat out of `opponents`; both follow from the game's seed, so row i of a batch is the
    same as a single game with that seed. A reward is what the learner's seat got since its last
    decision, including the opponents' moves and the end; what it got before its first decision
    comes with that one, so that the rewards of a game add up.

    An `illegal` action of the learner raises and changes nothing, or it ends the game and pays
    -1, or a legal one is drawn instead. Of a game with several rules each deal draws one of the
    `variants`; arrays by seat are as wide as the largest needs.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        opponents: Opponents = None,
        seat: int | None = None,
        flat: Flat = False,
        action_features: bool = False,
        illegal: str = "raise",
        variants: Sequence[int] = (0,),
    ) -> None:
        whole("num_envs", num_envs, 1)
        one_of("illegal", illegal, ILLEGAL)
        counts = game.players(game.new(np.zeros(len(variants), np.uint64), variants))
        players, fewest = int(counts.max()), int(counts.min())
        if seat is not None and seat not in range(fewest):
            raise ValueError(f"seat must be None or from 0 to {fewest - 1}, not {seat!r}")
        if flat not in (False, True, "features", "thumbs"):
            raise ValueError(f"flat must be False, True, 'features' or 'thumbs', not {flat!r}")
        if flat and action_features:
            raise ValueError(
                "a flat observation has no room for action_features: say flat='features', or "
                "flat=False"
            )
        if flat == "features" and not game.spec.feature_size:
            raise ValueError(f"{game.spec.title} has no features of actions: say flat=True")
        if flat == "thumbs" and not has_thumbs(game):
            raise ValueError(f"{game.spec.title} has no rules of thumb: say flat=True")
        self.game, self.num_envs, self.players = game, num_envs, players
        self.seat, self.flat, self.action_features = seat, flat, action_features
        self.illegal, self._variants = illegal, np.array(variants, np.int64)
        self._names: list[str] = []  # of all opponents so far; `met` holds their places here
        self.set_opponents(opponents)
        self._rows = np.arange(num_envs)
        self.seeds = np.zeros(num_envs, np.uint64)
        self.learner = np.zeros(num_envs, np.int64)
        self._rewards = np.zeros(num_envs, np.float64)  # since the last decision
        self._views = 0
        self._numbers = np.zeros(num_envs, np.uint64)  # each row's stream for its opponents
        self._pool_index = np.zeros((num_envs, players), np.int64)
        self._policies: list[Policy] = []
        self.met = np.full((num_envs, players - 1), -1)  # whom the learner meets, next seat first
        self.was_illegal = np.zeros(num_envs, np.bool_)  # the learner's last action
        self._forfeited = np.zeros(num_envs, np.bool_)  # ended by it
        self._rng = RowGenerator(np.random.PCG64(0))
        self.state = game.new(self.seeds, self._variants[0])
        self.turn = game.look(self.state)

    # ------------------------------------------------------------ spaces

    def single_observation_space(self) -> spaces.Space[Any]:
        """What one learner sees: a dict, or with `flat` an array alone."""
        spec = self.game.spec
        bound, size = spec.observation_bound, spec.observation_size
        widths = {"features": spec.feature_size, "thumbs": 1}
        size += spec.num_actions * widths.get(str(self.flat), 0)
        vector = spaces.Box(-bound, bound, (size,), np.float32)
        if self.flat:
            return vector
        parts: dict[str, spaces.Space[Any]] = {
            "observation": vector,
            "action_mask": spaces.Box(0, 1, (spec.num_actions,), np.int8),
        }
        if self.action_features:
            shape = (spec.num_actions, spec.feature_size)
            parts["action_features"] = spaces.Box(-bound, bound, shape, np.float32)
        return spaces.Dict(parts)

    # ------------------------------------------------------------ a round

    def set_opponents(self, opponents: Opponents) -> None:
        """Whom the games meet from their next reset on; running games are not touched."""
        self._pool = resolve_all(opponents, self.game)
        self._names += dict.fromkeys(p.name for p in self._pool if p.name not in self._names)

    @property
    def pool(self) -> list[str]:
        """The names of those whom the games meet."""
        return [policy.name for policy in self._pool]

    def seed(self, seed: int) -> None:
        """Seeds the generator that policies draw from if they do not use the rows' own numbers."""
        self._rng = RowGenerator(np.random.PCG64(int(streams(seed)[0])))

    def reset(self, seeds: NDArray[np.uint64], rows: NDArray[np.int64]) -> None:
        """New games in these rows, up to the learner's first decision."""
        while len(rows):
            drawn = mix(seeds ^ _VARIANT) % np.uint64(len(self._variants))
            self.game.reset(self.state, seeds, rows, self._variants[drawn.astype(np.int64)])
            self.seeds[rows] = seeds
            self._rewards[rows] = 0.0
            self._forfeited[rows] = self.was_illegal[rows] = False
            self._assign(rows)
            self.game.look(self.state, self.turn, rows)
            self._play_opponents()
            # a game may end before the learner ever decides: they play the next one instead
            rows = rows[self.turn.legal.counts[rows] == 0]
            seeds = mix(self.seeds[rows])

    def reset_following(self, rows: NDArray[np.int64]) -> None:
        """New games in these rows, from the seeds that follow from theirs."""
        self.reset(mix(self.seeds[rows]), rows)

    def _assign(self, rows: NDArray[np.int64]) -> None:
        """Draws the learner's seat and their opponents from the seeds of these rows."""
        self._put_pool_first(rows)
        numbers = mix(self.seeds[rows] ^ np.uint64(0x5EA7))
        players = self.game.players(self.state)[rows].astype(np.uint64)
        self.learner[rows] = numbers % players if self.seat is None else self.seat
        for seat in range(self.players):
            numbers = mix(numbers)
            self._pool_index[rows, seat] = numbers % np.uint64(len(self._pool))
        self._numbers[rows] = streams(self.seeds[rows])
        self._note_met(rows)

    def _note_met(self, rows: NDArray[np.int64]) -> None:
        """Whom the learner meets in these rows; -1 where a game has fewer seats."""
        places = np.array([self._names.index(policy.name) for policy in self._policies])
        others = np.arange(1, self.players)
        players = self.game.players(self.state)[rows, None].astype(np.int64)
        seats = (self.learner[rows, None] + others) % players
        met = places[self._pool_index[rows[:, None], seats]]
        self.met[rows] = np.where(others < players, met, -1)

    def _put_pool_first(self, rows: NDArray[np.int64]) -> None:
        """Puts the pool first among the policies in play, and forgets who has left."""
        pool = [id(policy) for policy in self._pool]
        if [id(policy) for policy in self._policies] == pool:
            return
        going = np.setdiff1d(self._rows, rows)
        met = [self._policies[place] for place in np.unique(self._pool_index[going]).tolist()]
        known = [*self._pool, *(policy for policy in met if id(policy) not in pool)]
        places = {id(policy): place for place, policy in enumerate(known)}
        moved = np.array([places.get(id(policy), 0) for policy in self._policies], np.int64)
        if len(going):
            self._pool_index[going] = moved[self._pool_index[going]]
        self._policies = known

    def step(self, actions: ArrayLike, live: NDArray[np.bool_]) -> NDArray[np.float64]:
        """The learner's decisions in the live rows, then everybody else's up to their next ones.

        Returns the rewards, 0 in the other rows.
        """
        chosen = self._checked(actions, live)
        if self.was_illegal.any():
            self._mend(chosen, np.flatnonzero(self.was_illegal))
        self.game.turn_unchecked(self.state, chosen, self.turn)
        self._collect()
        self._play_opponents()
        rewards = np.where(live, self._rewards, 0.0)
        self._rewards[live] = 0.0
        return rewards

    def _checked(self, actions: ArrayLike, live: NDArray[np.bool_]) -> NDArray[np.int64]:
        chosen = np.asarray(actions)
        if chosen.shape != (self.num_envs,) or chosen.dtype.kind not in "iu":
            raise ValueError(
                f"actions must be {self.num_envs} whole numbers, not {chosen.dtype} "
                f"of shape {chosen.shape}"
            )
        last = self.game.spec.num_actions - 1
        outside = live & ((chosen < 0) | (chosen > last))
        if outside.any():
            row = int(np.flatnonzero(outside)[0])
            raise ValueError(f"actions[{row}] must be from 0 to {last}, not {chosen[row]}")
        chosen = np.where(live, chosen.astype(np.int64), -1)
        illegal = live & (self.turn.legal.mask[self._rows, chosen] == 0)
        if self.illegal == "raise" and illegal.any():
            row = int(np.flatnonzero(illegal)[0])
            raise self.game.illegal(self.state, row, int(chosen[row]))
        self.was_illegal = illegal
        return chosen

    def _mend(self, chosen: NDArray[np.int64], rows: NDArray[np.int64]) -> None:
        """Puts legal actions in place of illegal ones, or ends the games."""
        if self.illegal == "end":
            chosen[rows] = -1
            self._rewards[rows] += FORFEIT
            self._forfeited[rows] = True
            self._close()
            return
        self._numbers[rows] = numbers = mix(self._numbers[rows])
        counts = self.turn.legal.counts[rows].astype(np.uint64)
        drawn = ((numbers >> np.uint64(32)) * counts) >> np.uint64(32)
        chosen[rows] = self.turn.legal.actions[rows, drawn.astype(np.int64)]

    def _close(self) -> None:
        """Leaves nothing to decide in games that an illegal action has ended."""
        self.turn.legal.counts[self._forfeited] = 0
        self.turn.legal.mask[self._forfeited] = 0

    def _collect(self) -> None:
        self._rewards += self.turn.outcome.rewards[self._rows, self.learner]

    def _play_opponents(self) -> None:
        current = self.game.current_player(self.state)
        while True:
            rows = np.flatnonzero((self.turn.legal.counts > 0) & (current != self.learner))
            if not len(rows):
                return
            chosen = np.full(self.num_envs, -1)
            self._numbers[rows] = numbers = mix(self._numbers[rows])
            which = self._pool_index[rows, current[rows]]
            for index in np.unique(which) if len(self._policies) > 1 else which[:1]:
                mine = which == index
                chosen[rows[mine]] = ask(
                    self._policies[index],
                    self.game,
                    self.state,
                    self.turn,
                    rows[mine],
                    self._rng,
                    numbers[mine],
                )
            self.game.turn_unchecked(self.state, chosen, self.turn)
            self._collect()

    # ------------------------------------------------------------ what the learner gets

    @property
    def over(self) -> NDArray[np.bool_]:
        """Which games have ended."""
        return np.asarray(self.turn.legal.counts == 0)

    def observation(self) -> Observation:
        """Fresh arrays of what the learner sees, also in finished games."""
        vector = self.turn.observation.copy()
        ended = np.flatnonzero(self.over)
        if len(ended):
            vector[ended] = self.game.observe(select(self.state, ended), self.learner[ended])
        if isinstance(self.flat, str):
            told = self.features() if self.flat == "features" else self.thumbs()
            vector = np.hstack([vector, told.reshape(self.num_envs, -1)])
        if self.flat:
            return vector
        parts: dict[str, NDArray[Any]] = {"observation": vector, "action_mask": self.mask()}
        if self.action_features:
            parts["action_features"] = self.features()
        return parts

    def mask(self) -> NDArray[np.int8]:
        """The learners' legal actions; of a finished game the last action, which is ignored.

        So no mask is all zero, and no masked softmax is without a number.
        """
        mask = self.turn.legal.mask.copy()
        mask[self.over, -1] = 1
        return mask

    def features(self) -> NDArray[np.float32]:
        """The features of every action, `(num_envs, num_actions, feature_size)`; illegal: 0."""
        legal = self.turn.legal
        whole_list = self.game.legal(self.state) if self._forfeited.any() else legal
        return self._at_places(self.game.features(self.state, whole_list))

    def thumbs(self) -> NDArray[np.float32]:
        """What the rules of thumb think of every action, `(num_envs, num_actions)`.

        0 for the best one, down to the least number of an observation for those well behind it;
        illegal: 0.
        """
        bound = self.game.spec.observation_bound
        return self._at_places(bound * near_gaps(self.game, self.state))

    def _at_places(self, listed: NDArray[Any]) -> NDArray[np.float32]:
        """What is known of the listed actions, each at its number."""
        legal = self.turn.legal
        shape = (self.num_envs, self.game.spec.num_actions, *listed.shape[2:])
        dense = np.zeros(shape, np.float32)
        rows, places = np.nonzero(np.arange(listed.shape[1]) < legal.counts[:, None])
        dense[rows, legal.actions[rows, places]] = listed[rows, places]
        return dense

    def opponent_names(self, numbers: ArrayLike | None = None) -> NDArray[np.object_]:
        """The names of opponents by their numbers in `met`, by default of those met now."""
        known = np.array([*self._names, ""], object)  # -1 is nobody
        return np.asarray(known[self.met if numbers is None else np.asarray(numbers)])

    def info(self) -> dict[str, NDArray[Any]]:
        """What is told beside the observation: numbers, with the same keys at every step.

        `scores`, `winners` and `rank` are 0 while a game runs. Where an illegal action has ended
        it, the learner's rank is the last, and nobody else's result is told.
        """
        shape, ended = (self.num_envs, self.players), np.flatnonzero(self.over & ~self._forfeited)
        scores, winners = np.zeros(shape, np.int64), np.zeros(shape, np.bool_)
        rank = np.where(self._forfeited, self.game.players(self.state), 0.0)
        if len(ended):
            state = select(self.state, ended)
            scores[ended] = self.game.scores(state)[:, : self.players]
            winners[ended] = self.game.winners(state)[:, : self.players]
            ranks = standings(self.game, state).rank
            rank[ended] = ranks[np.arange(len(ended)), self.learner[ended]]
        info = {"seat": self.learner.copy(), "opponents": self.met.copy()}
        info |= {"scores": scores, "winners": winners, "rank": rank}
        return info if self.illegal == "raise" else info | {"illegal": self.was_illegal.copy()}

    def view(self) -> View:
        """Clones for a planner in the learner's place, one for each game."""
        self._views += 1
        seeds = mix(streams(self.seeds) ^ mix(np.array([self._views], np.uint64)))
        return View(self.game, self.game.determinize(self.state, self.learner, seeds))

    # ------------------------------------------------------------ games at rest

    @property
    def _arrays(self) -> dict[str, NDArray[Any]]:
        """What a snapshot holds, by its names there."""
        names = ["state", "seeds", "learner", "_rewards", "_numbers", "_pool_index"]
        if self.illegal == "end":
            names += ["_forfeited"]
        return {name.strip("_"): getattr(self, name) for name in names}

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """All games as plain arrays, to go on from by `restore` with the same opponents."""
        arrays = {name: array.copy() for name, array in self._arrays.items()}
        generator = np.array(json.dumps(self._rng.bit_generator.state))
        opponents = np.array([policy.name for policy in self._policies])
        more = {"views": np.array(self._views), "generator": generator, "opponents": opponents}
        return arrays | more

    def restore(self, snapshot: Any) -> None:
        """Goes on from a snapshot; one of other games, or a broken one, changes nothing."""
        here = {**self._arrays, "views": np.array(0)}
        arrays = dict(zip(here, checked_arrays(snapshot, here), strict=True))
        policies = self._known(snapshot)
        self._check(arrays, len(policies))
        views = whole("views", int(arrays["views"]), 0)
        rng = RowGenerator(np.random.PCG64(0))
        try:
            rng.bit_generator.state = json.loads(str(entry(snapshot, "generator")))
        except DAMAGE as error:
            raise ValueError(f"the snapshot's generator cannot be read: {error!r:.80}") from error
        for name, array in self._arrays.items():
            array[...] = arrays[name]
        self._policies, self._views, self._rng = policies, views, rng
        self._note_met(self._rows)
        self.was_illegal = np.zeros(self.num_envs, np.bool_)
        self.game.look(self.state, self.turn)
        self._close()

    def _known(self, snapshot: Any) -> list[Policy]:
        """The policies that a snapshot's games meet: those of the pool, or those in play now."""
        names = [str(name) for name in np.atleast_1d(entry(snapshot, "opponents")).tolist()]
        for policies in (self._pool, self._policies):
            if names == [policy.name for policy in policies]:
                return list(policies)
        raise ValueError(
            f"the snapshot's games meet {', '.join(names):.200}, and those here "
            f"{', '.join(self.pool):.200}: name the same opponents first"
        )

    def _check(self, arrays: Mapping[str, NDArray[Any]], policies: int) -> None:
        """Refuses arrays that no batch of these games has."""
        state, learner = arrays["state"], arrays["learner"]
        self.game.check(state)
        self._check_seats(learner, state)
        if not 0 <= arrays["pool_index"].min() <= arrays["pool_index"].max() < policies:
            raise ValueError("the snapshot is of games with more opponents than are known here")
        turned = (self.game.current_player(state) != learner) & ~self.game.over(state)
        if turned.any():
            row = int(turned.argmax())
            raise StateError(f"row {row}: learner {learner[row]} is not on turn")
        if not np.isfinite(arrays["rewards"]).all():
            raise ValueError("the snapshot's rewards must be finite")

    def _check_seats(self, learner: NDArray[np.int64], state: State) -> None:
        players = self.game.players(state).astype(np.int64)
        if players.max() > self.players:
            most = f"the games here have at most {self.players} seats"
            raise StateError(f"{most}, not {players.max()}")
        wrong = (learner < 0) | (learner >= players)
        if wrong.any():
            row = int(wrong.argmax())
            raise ValueError(
                f"learner[{row}] must be from 0 to {players[row] - 1}, not {learner[row]}"
            )

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.game.check(self.state)
        self._check_seats(self.learner, self.state)
