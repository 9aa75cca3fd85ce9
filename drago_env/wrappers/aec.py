"""Any `Game` as a PettingZoo AEC environment."""

from __future__ import annotations

import secrets
from operator import index
from typing import Any, NoReturn

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv

from drago_env.core.batches import NO_ACTION
from drago_env.core.chance import mix, mix_one
from drago_env.core.checks import checked_arrays, entry, one_of, select, whole
from drago_env.game import Game, Move, State
from drago_env.moved import moved, refuses
from drago_env.policy import View, streams
from drago_env.wrappers.spaces import (
    CLOSED,
    FPS,
    RENDER_MODES,
    check_render_mode,
    decision_space,
    told,
)
from drago_env.wrappers.texts import action_from_text, legal_texts

Observation = dict[str, NDArray[Any]]


@refuses("GameAEC(game, ...): the game knows its players", "players", "prefix", render_mode=int)
class GameAEC(AECEnv[str, Observation, int]):  # type: ignore[misc]  # PettingZoo has no types
    """A game in PettingZoo's turn order: one agent decides at a time.

    Where the rules give a seat several decisions in a row, its agent is selected again.

    An observation is a dict of `observation` (float32) and `action_mask` (int8, all zero for a
    seat that is not on turn, the last action alone after the end); the mask is in
    `infos[agent]["action_mask"]` too. With `action_features=True` it also lists the legal actions
    (-1 past their end) with the features of each. An illegal action raises and changes nothing.
    `reset()` without a seed goes on with the seed that follows from the last one. The game can be
    copied and pickled at any move; `snapshot()` is the same as plain arrays.

    `describe(agent)`, `legal_texts()` and `action_from_text(words)` are the game in words; with
    `text=True` the first two are in the selected agent's info, as `text` and `legal_texts`.

    `render_viewer` says for whom pictures are: `"all"` shows all that is hidden, `"turn"` what the
    selected agent may see, the number of a seat what that seat may see.
    """

    def __init__(
        self,
        game: Game,
        render_mode: str | None = None,
        action_features: bool = False,
        render_viewer: str | int = "all",
        text: bool = False,
    ) -> None:
        super().__init__()
        self.metadata = {
            "name": f"{game.spec.name}_v0",
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": False,
            "render_fps": FPS,
        }
        check_render_mode(render_mode)
        self.game = game
        self.render_mode = render_mode
        self.action_features, self.text = action_features, text
        self._plain = not (action_features or text)
        seats = int(game.players(game.new(0))[0])
        self.possible_agents = [f"{game.spec.seat_name}_{seat}" for seat in range(seats)]
        self.agents: list[str] = []
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        spec = game.spec
        self._observation_space = decision_space(spec, action_features)
        self._action_space = spaces.Discrete(spec.num_actions)
        self._num_actions = spec.num_actions
        self._pays_at_end = game.pays_at_end
        self._no_mask = np.zeros(spec.num_actions, np.int8)
        if isinstance(render_viewer, str):
            one_of("render_viewer", render_viewer, ("all", "turn"))
        else:
            whole("render_viewer", render_viewer, 0, seats - 1)
        self.render_viewer = render_viewer
        self._running = self._closed = False
        self._seed: int | None = None
        self._window: Any = None

    def observation_space(self, agent: str) -> spaces.Dict:
        """The same for every agent; see `decision_space`."""
        return self._observation_space

    def action_space(self, agent: str) -> spaces.Discrete:
        """The same for every agent: all actions of the game."""
        return self._action_space

    # ------------------------------------------------------------ a game

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """A new game; without a seed, the one that follows from the last seed."""
        if seed is None:
            seed = secrets.randbits(63) if self._seed is None else mix_one(self._seed)
        if self._seed is None:
            self._bind()
        self.game.reset(self._state, seed)
        self._begin(seed)

    def _begin(self, seed: int) -> None:
        """A game that has been dealt; the arrays of the one before are used again."""
        came = self._play(NO_ACTION)
        self._seed = int(seed)
        self._dealt = self._state.tobytes()
        self._actions: list[int] = []
        self._told: dict[int | None, tuple[int, str | None]] = {}  # by viewer: who moved, in words
        self._views = 0
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._idle = {agent: {"action_mask": self._no_mask.copy()} for agent in self.agents}
        self.infos: dict[str, dict[str, Any]] = {**self._idle}
        self._skip_agent_selection = None
        self._running, self._closed = True, False
        self._select(came & 255)
        if self.render_mode == "human":
            self.render()

    def _bind(self) -> None:
        """Views of the arrays that every step writes to, taken once: a step is short."""
        self._state, self._turn, self._play = self.game.single()
        turn = self._turn
        self._row_mask = turn.legal.mask[0]
        self._copy_mask, self._copy_seen = self._row_mask.copy, turn.observation[0].copy
        self._row_rewards = turn.outcome.rewards[0]

    def step(self, action: int | None) -> None:
        """One decision of the selected agent; None for an agent whose game is over."""
        if not self._running:
            self._dead_step(action)
            return
        kind: Any = type(action)
        number = int(action) if kind is int or kind is np.int64 else as_number(action)  # type: ignore[arg-type]
        if self.render_mode is not None and 0 <= number < self._num_actions:
            seat, words = self._seat_of[self.agent_selection], self.game.told
            self._told = {v: (seat, words(self._state, 0, number, v)) for v in self._viewers}
        came = self._play(number) if 0 <= number < self._num_actions else -1
        if came < 0:
            self._refuse(number)
        agent = self.agent_selection
        self._actions.append(number)
        self._cumulative_rewards[agent] = 0.0
        over = came < 256  # nothing is legal any more
        if over or not self._pays_at_end:
            self._pay(self._row_rewards.tolist())
        self.infos[agent] = self._idle[agent]
        self._select(came & 255)
        if over:
            self._end()
        if self.render_mode == "human":
            self.render()

    def _may(self, action: Any) -> bool:
        """Whether an action is legal for the agent on turn."""
        number = isinstance(action, int | np.integer) and 0 <= action < self._num_actions
        return bool(number and self._row_mask[action])

    def _select(self, seat: int) -> None:
        """The seat on turn gets its observation and mask, as arrays of its own."""
        self.agent_selection = agent = self.possible_agents[seat]
        mask = self._copy_mask()
        self._seen = {"observation": self._copy_seen(), "action_mask": mask}
        self.infos[agent] = {"action_mask": mask}
        if not self._plain:
            self._add_more(agent)

    def _add_more(self, agent: str) -> None:
        """What the agent on turn gets only when it is asked for."""
        if self.action_features:
            self._seen |= self._listed()
        if self.text:
            self.infos[agent] |= {"text": self.describe(agent), "legal_texts": self.legal_texts()}

    def _listed(self) -> Observation:
        """The legal actions of the seat on turn and their features."""
        legal, slots = self._turn.legal, np.arange(self.game.spec.max_legal)
        return {
            "legal_actions": np.where(
                slots < legal.counts[0], legal.actions[0].astype(np.int64), -1
            ),
            "action_features": self.game.features(self._state, legal)[0],
        }

    def _refuse(self, number: int) -> NoReturn:
        if 0 <= number < self._num_actions:
            raise self.game.illegal(self._state, 0, number)
        raise ValueError(f"action must be from 0 to {self._num_actions - 1}, not {number}")

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """What the selected agent sees, got since its last decision, and whether it is over."""
        agent, seen = self.agent_selection, None
        if observe:
            seen = self._seen.copy() if self._running else self.observe(agent)
        ended, cut_off = self.terminations[agent], self.truncations[agent]
        return seen, self._cumulative_rewards[agent], ended, cut_off, self.infos[agent]

    def _dead_step(self, action: int | None) -> None:
        if self._closed:
            raise RuntimeError(CLOSED)
        if not self.agents:
            raise RuntimeError("no game is running: call reset() first")
        self._was_dead_step(action)

    def _pay(self, rewards: list[float]) -> None:
        for agent, reward in zip(self.agents, rewards, strict=False):
            self.rewards[agent] = reward
            self._cumulative_rewards[agent] += reward

    def _end(self) -> None:
        truncated = bool(self.game.truncated(self._state)[0])
        self.terminations = dict.fromkeys(self.agents, not truncated)
        self.truncations = dict.fromkeys(self.agents, truncated)
        self.agent_selection = self.agents[0]
        self._running = False
        self._close_masks()

    def _close_masks(self) -> None:
        """Nobody is on turn any more."""
        self.infos = {agent: {"action_mask": self._mask_of(agent)} for agent in self.agents}
        for agent in self.agents if self.text else ():
            self.infos[agent] |= {"text": self.describe(agent), "legal_texts": []}

    def _deads_step_first(self) -> str:
        """PettingZoo's wrapper asks for this when an illegal action has ended the game."""
        self._running = False
        self._close_masks()
        return super()._deads_step_first()  # type: ignore[no-any-return]

    def _mask_of(self, agent: str) -> NDArray[np.int8]:
        """The mask of an agent that is not on turn; after the end the last action is allowed."""
        mask = self._no_mask.copy()
        if self.terminations.get(agent, True) or self.truncations.get(agent, True):
            mask[-1] = 1
        return mask

    # ------------------------------------------------------------ looking at it

    def observe(self, agent: str) -> Observation:
        """What an agent sees now, on turn or not."""
        if self._running and agent == self.agent_selection:
            return self._seen.copy()
        seat = self._seat(agent)
        observation, mask = self.game.observe(self._state, seat)[0], self._mask_of(agent)
        seen = {"observation": observation, "action_mask": mask}
        if self.action_features:
            spec = self.game.spec
            seen["legal_actions"] = np.full(spec.max_legal, -1)
            seen["legal_actions"][: mask[-1]] = self._num_actions - 1
            seen["action_features"] = np.zeros((spec.max_legal, spec.feature_size), np.float32)
        return seen

    def describe(self, agent: str) -> str:
        """What an agent knows, in words."""
        return self.game.describe(self._state, 0, self._seat(agent))

    def legal_texts(self) -> list[str]:
        """The legal actions of the selected agent in words, in their order; none after the end."""
        return list(self._texts())

    def action_from_text(self, text: str) -> int:
        """The legal action of the selected agent that these words mean."""
        return action_from_text(self.game, self._state, self._texts(), text)

    def _texts(self) -> dict[str, int]:
        self._seat(self.possible_agents[0])
        return legal_texts(self.game, self._state) if self._running else {}

    def state(self) -> NDArray[np.float32]:
        """Every seat's observation, one after the other: all that anybody knows."""
        self._seat(self.possible_agents[0])
        seats = range(len(self.possible_agents))
        return np.concatenate([self.game.observe(self._state, seat)[0] for seat in seats])

    def view(self, agent: str) -> View:
        """A clone for a planner: what this agent cannot see is drawn anew at each call."""
        seat = self._seat(agent)
        self._views += 1
        seed = mix(streams(int(self._seed or 0)) ^ mix(np.array([self._views], np.uint64)))
        return View(self.game, self.game.determinize(self._state, seat, seed))

    def record(self) -> dict[str, Any]:
        """The game so far as a record of plain JSON types, at any move and after the end."""
        self._seat(self.possible_agents[0])
        return self.game.record(self._start(), self._actions, seed=self._seed)

    def _start(self) -> State:
        """The game after its deal."""
        return np.frombuffer(self._dealt, self._state.dtype).copy()

    def _seat(self, agent: str) -> int:
        if self._seed is None:
            raise RuntimeError("no game was started: call reset() first")
        if agent not in self._seat_of:
            raise ValueError(f"there is no agent {agent!r}; agents: {', '.join(self._seat_of)}")
        return self._seat_of[agent]

    def render(self) -> str | NDArray[np.uint8] | None:
        """The position as `render_viewer` may see it, in the form of the render mode."""
        if self.render_mode is None:
            raise RuntimeError("render() needs a render_mode: make the environment with one")
        self._seat(self.possible_agents[0])
        viewer = self._seat_of[self.agent_selection] if self.render_viewer == "turn" else None
        if not isinstance(self.render_viewer, str):
            viewer = self.render_viewer
        picture = self.game.draw(self._state, viewer=viewer, last=self._last_move(viewer))
        if self.render_mode == "ansi":
            return picture.ansi()
        if self.render_mode == "rgb_array":
            return picture.rgb()
        if self._window is None:
            from drago_env.pictures.window import Window

            self._window = Window(self.game.spec.title, FPS)
        self._window.show(picture.rgb())
        return None

    @property
    def _viewers(self) -> list[int | None]:
        """Those who may be shown the next position."""
        if isinstance(self.render_viewer, str):
            return [None] if self.render_viewer == "all" else [*self._seat_of.values()]
        return [self.render_viewer]

    def _last_move(self, viewer: int | None) -> Move | None:
        """The last move, if the viewer has heard of it."""
        seat, told = self._told.get(viewer, (0, None))
        if told is None:
            return None
        points = self._turn.outcome.points[0, : len(self.possible_agents)].tolist()
        return Move(seat, self._actions[-1], told, points)

    def close(self) -> None:
        """Closes the window, if there is one; `reset` and `restore` open the environment again."""
        self._running, self._closed = False, True
        if self._window is not None:
            self._window.close()
            self._window = None

    # ------------------------------------------------------------ games at rest

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """The game at this move as plain arrays: `numpy.savez(path, **env.snapshot())`."""
        self._seat(self.possible_agents[0])
        return {
            "start": self._start(),
            "actions": np.array(self._actions, np.int64),
            "seed": np.array(self._seed, np.uint64),
            "dead": np.array(len(self.possible_agents) - len(self.agents)),
            "views": np.array(self._views),
        }

    def restore(self, snapshot: Any) -> None:
        """Goes on from a snapshot, whatever was played before; a broken one changes nothing."""
        number = np.zeros((), np.int64)
        like = {"start": self.game.new(0), "seed": np.zeros((), np.uint64)}
        like |= {"dead": number, "views": number}
        start, seed, dead, views = checked_arrays(snapshot, like)
        made = entry(snapshot, "actions")
        like = {"actions": np.zeros(made.size, np.int64)}
        actions = checked_arrays({"actions": made}, like)[0].tolist()
        self.game.check(start)
        trial = start.copy()
        for action in actions:
            self.game.step(trial, [action])
        left = len(self.possible_agents) if self.game.over(trial)[0] else 0
        whole("dead", int(dead), 0, left)
        whole("views", int(views), 0)
        if self._seed is None:
            self._bind()
        self._state[:] = start
        self._begin(int(seed))
        for action in actions:
            self.step(action)
        for _ in range(int(dead)):
            self.step(None)
        self._views = int(views)

    def __repr__(self) -> str:
        return told(self, self.game)

    def __getstate__(self) -> dict[str, Any]:
        bound = {"_window", "_state", "_turn", "_play", "_row_mask", "_row_rewards"}
        bound |= {"_copy_mask", "_copy_seen"}
        kept = {key: value for key, value in self.__dict__.items() if key not in bound}
        if self._seed is None:
            return kept
        return kept | {"_kept": (select(self._state), *(a.copy() for a in self._turn.outcome))}

    def __setstate__(self, state: dict[str, Any]) -> None:
        kept = state.pop("_kept", None)
        self.__dict__.update(state)
        self._window = None
        if kept is not None:
            self.game.check(kept[0])
            self._bind()
            self._state[:] = kept[0]
            self._play(NO_ACTION)
            self._turn.outcome.points[:], self._turn.outcome.rewards[:] = kept[1:]


def as_number(action: Any) -> int:
    """An action as a number; True and False are none."""
    try:
        if isinstance(action, bool):
            raise TypeError
        return index(action)
    except TypeError:
        raise TypeError(f"an action is a whole number, not {action!r:.60}") from None


__getattr__ = moved(__name__, {"Ordered": "drago_env.wrappers.ordered:Ordered"})
