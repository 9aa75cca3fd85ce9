"""Any `Game` as a Gymnasium environment for one learner."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import ArrayLike, NDArray

from drago_env.core.checks import seed_array
from drago_env.game import Game
from drago_env.moved import refuses
from drago_env.policy import View
from drago_env.wrappers.learner import Flat, LearnerBatch, Opponents
from drago_env.wrappers.spaces import CLOSED, FPS, RENDER_MODES, at_row, check_render_mode, told
from drago_env.wrappers.texts import action_from_text, legal_texts

_LIVE, _FIRST = np.ones(1, np.bool_), np.zeros(1, np.int64)


@refuses("LearnerEnv(game, ...): the game knows its players", "players", opponents=int)
class LearnerEnv(gymnasium.Env[Any, Any]):
    """One seat is the learner's, the others belong to opponents drawn at each reset.

    The observation is a dict of `observation` and `action_mask`, with `action_features=True` also
    the features of every action; with `flat=True` it is the array alone, with `flat="features"` the
    array and the features of every action at the action's own place, 0 where it is not legal, with
    `flat="thumbs"` in their stead what the rules of thumb think of it (`LearnerBatch.thumbs`). The
    mask is always in `info["action_mask"]` and in `action_masks()` too; that of a finished game
    allows the last action. `info` has numbers only, with the same keys at every step: the learner's
    `seat`, the `opponents` (`opponent_names()` names them), and `scores`, `winners` and `rank`, 0
    before the end. The reward is what the learner's seat got since its last decision.

    An action that is `illegal` raises and changes nothing; with `"end"` the game ends and pays -1,
    with `"random"` a legal action is made instead, and `info["illegal"]` tells. The position in
    words is `describe()`, the legal actions are `legal_texts()`; with `text=True` both are in
    `info` too.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": FPS}  # noqa: RUF012

    def __init__(
        self,
        game: Game,
        opponents: Opponents = None,
        seat: int | None = None,
        flat: Flat = False,
        action_features: bool = False,
        render_mode: str | None = None,
        illegal: str = "raise",
        text: bool = False,
    ) -> None:
        check_render_mode(render_mode)
        self.render_mode = render_mode
        self.text = text
        self._batch = LearnerBatch(game, 1, opponents, seat, flat, action_features, illegal)
        self.observation_space = self._batch.single_observation_space()
        self.action_space = spaces.Discrete(game.spec.num_actions)
        self._started = self._closed = False
        self._window: Any = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """A new game, played on to the learner's first decision."""
        super().reset(seed=seed)
        if seed is None and self._started:
            self._batch.reset_following(_FIRST)
        else:
            seeds = seed_array(int(self.np_random.integers(2**63)) if seed is None else seed)
            self._batch.seed(int(seeds[0]))
            self._batch.reset(seeds, _FIRST)
        self._started, self._closed = True, False
        self._show()
        return self._observation(), self._info()

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """One decision of the learner, and the opponents' answers up to their next one."""
        self._require_running()
        reward = float(self._batch.step(np.array([action]), _LIVE)[0])
        over = bool(self._batch.over[0])
        truncated = over and bool(self._batch.game.truncated(self._batch.state)[0])
        self._show()
        return self._observation(), reward, over and not truncated, truncated, self._info()

    def action_masks(self) -> NDArray[np.bool_]:
        """The mask, in the form that sb3-contrib asks for."""
        return np.asarray(self._batch.mask()[0], np.bool_)

    def opponent_names(self, numbers: ArrayLike | None = None) -> list[str]:
        """Whom the learner meets, the next seat first; or those numbers of `info["opponents"]`."""
        numbers = self._batch.met[0] if numbers is None else numbers
        return self._batch.opponent_names(numbers).tolist()  # type: ignore[no-any-return]

    def set_opponents(self, opponents: Opponents) -> None:
        """Whom the learner meets from the next reset on."""
        self._batch.set_opponents(opponents)

    def view(self) -> View:
        """A clone for a planner in the learner's place."""
        self._require_started()
        return self._batch.view()

    def _observation(self) -> Any:
        return at_row(self._batch.observation(), 0)

    def _info(self) -> dict[str, Any]:
        parts = {"action_mask": self._batch.mask(), **self._batch.info()}
        info = {key: part[0] if part.ndim > 1 else part[0].item() for key, part in parts.items()}
        if self.text:
            info |= {"text": self.describe(), "legal_texts": self.legal_texts()}
        return info

    # ------------------------------------------------------------ in words

    def describe(self) -> str:
        """What the learner knows, in words."""
        self._require_started()
        return self._batch.game.describe(self._batch.state, 0, int(self._batch.learner[0]))

    def legal_texts(self) -> list[str]:
        """The learner's legal actions in words, in their order; none after the end."""
        self._require_started()
        return list(self._texts())

    def action_from_text(self, text: str) -> int:
        """The legal action that these words mean."""
        self._require_started()
        return action_from_text(self._batch.game, self._batch.state, self._texts(), text)

    def _texts(self) -> dict[str, int]:
        over = self._batch.over[0]  # also where an illegal action has ended the game
        return {} if over else legal_texts(self._batch.game, self._batch.state)

    def _require_started(self) -> None:
        if not self._started:
            raise RuntimeError("no game was started: call reset() first")

    def _require_running(self) -> None:
        self._require_started()
        if self._closed:
            raise RuntimeError(CLOSED)
        if self._batch.over[0]:
            raise RuntimeError("the game is over: call reset() to play another one")

    # ------------------------------------------------------------ pictures

    def render(self) -> Any:
        """The position as the learner sees it, in the form of the render mode."""
        if self.render_mode is None:
            raise RuntimeError("render() needs a render_mode: make the environment with one")
        self._require_started()
        picture = self._batch.game.draw(self._batch.state, viewer=int(self._batch.learner[0]))
        if self.render_mode == "ansi":
            return picture.ansi()
        if self.render_mode == "rgb_array":
            return picture.rgb()
        if self._window is None:
            from drago_env.pictures.window import Window

            self._window = Window(self._batch.game.spec.title, FPS)
        self._window.show(picture.rgb())
        return None

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def close(self) -> None:
        """Closes the window, if there is one; `reset` and `restore` open the environment again."""
        self._closed = True
        if self._window is not None:
            self._window.close()
            self._window = None

    # ------------------------------------------------------------ games at rest

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """The game at this move as plain arrays: `numpy.savez(path, **env.snapshot())`."""
        self._require_started()
        return self._batch.snapshot()

    def restore(self, snapshot: Any) -> None:
        """Goes on from a snapshot, with the same opponents as the environment that made it."""
        self._batch.restore(snapshot)
        self._started, self._closed = True, False

    def __repr__(self) -> str:
        return told(self, self._batch.game, f"against {', '.join(self._batch.pool)}")

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_window": None}
