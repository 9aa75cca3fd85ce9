"""What RLlib plays with: the environment with opponents in it, and modules around the network."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis import ValueFunctionAPI
from ray.rllib.core.rl_module.torch import TorchRLModule
from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv

from agents.network import PADDING, Shape
from drago_env.games import make
from drago_env.policy import Policy, plans, resolve, streams
from drago_env.wrappers.aec import GameAEC
from train.network import Network

SHARED, PAST = "shared", "past"


def past(number: int) -> list[str]:
    """The names of so many modules that play past selves."""
    return [f"{PAST}_{slot}" for slot in range(number)]


class LeagueEnv(PettingZooEnv):  # type: ignore[misc]  # RLlib's bases carry no types
    """Our PettingZoo environment for RLlib, its seats given out at each reset, never in mid-game.

    In a share `selfplay` of the games every seat is the learner's. In the others one seat is, and
    each other one draws an opponent: a named policy or a past self. Past selves are modules of
    RLlib. Named policies are played in here, where a planner gets the view of the game that no
    module ever has; RLlib does not hear of their seats. An agent is called after its module and
    its seat, such as `past_0:player_1`, so the module follows from the name alone. Of several specs
    each game draws one.
    """

    def __init__(self, config: Any) -> None:
        specs = [config["game"]] if isinstance(config["game"], str) else config["game"]
        game = make(*specs)  # refuses specs that do not go together
        self._tables = [GameAEC(make(spec), action_features=True) for spec in specs]
        super().__init__(max(self._tables, key=lambda aec: aec.max_num_agents))
        self._worker = getattr(config, "worker_index", None) or 0
        self._selfplay = config["selfplay"]
        frozen = past(config["past_selves"])
        named = [(spec, resolve(spec, game)) for spec in config["opponents"]]
        self._pool: list[str | tuple[str, Policy]] = [*named, *frozen]
        seats = self.env.possible_agents
        self.possible_agents = [f"{name}:{seat}" for name in (SHARED, *frozen) for seat in seats]
        space, choices = self.env.observation_space(seats[0]), self.env.action_space(seats[0])
        self.observation_spaces = dict.fromkeys(self.possible_agents, space)
        self.action_spaces = dict.fromkeys(self.possible_agents, choices)
        self._rng: np.random.Generator | None = None  # of deals and seats
        self.opponents: set[str] = set()  # whom the learner meets in this game

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, Any]:
        if self._rng is None:
            # Once, since RLlib repeats its seed with every batch; and with the runner's number,
            # since it counts the seeds on from both runner to runner and game to game.
            self._rng = np.random.default_rng(None if seed is None else [seed, self._worker])
        if len(self._tables) > 1:
            self.env = self._tables[self._rng.integers(len(self._tables))]
        deal = int(self._rng.integers(2**63))
        super().reset(seed=deal)
        self._seat(self._rng)
        # what policies draw from tells nothing of the deal
        self._numbers = np.random.default_rng(int(streams(deal)[0]))
        while self.env.agents and self.env.agent_selection in self._played:
            super().step({self.env.agent_selection: self._choice()})
        if not self.env.agents:  # over before RLlib had a say
            return self.reset()
        self.agents = list(self._names.values())
        seat = self.env.agent_selection
        return {self._names[seat]: self.env.observe(seat)}, {}

    def _seat(self, rng: np.random.Generator) -> None:
        """Draws who plays each seat of the game that begins."""
        self._played: dict[str, Policy] = {}  # by the environment
        self._names = {seat: f"{SHARED}:{seat}" for seat in self.env.possible_agents}
        self.opponents = set()
        if not self._pool or rng.random() < self._selfplay:
            return
        learner = rng.choice(self.env.possible_agents)
        for seat in self.env.possible_agents:
            if seat == learner:
                continue
            drawn = self._pool[rng.integers(len(self._pool))]
            if isinstance(drawn, str):
                self._names[seat] = f"{drawn}:{seat}"
                self.opponents.add(PAST)
            else:
                spec, self._played[seat] = drawn
                del self._names[seat]
                self.opponents.add(spec)

    def step(self, actions: dict[str, int]) -> tuple[Any, ...]:
        (action,) = actions.values()
        told = super().step({self.env.agent_selection: action})
        while self.env.agents and self.env.agent_selection in self._played:
            told = super().step({self.env.agent_selection: self._choice()})
        names = {**self._names, "__all__": "__all__"}
        seen, rewards, ended, cut, infos = (
            {names[seat]: value for seat, value in part.items() if seat in names} for part in told
        )
        if cut["__all__"]:  # told of every seat, RLlib would take the game for ended
            cut = {"__all__": True}
        return seen, rewards, ended, cut, infos

    def _choice(self) -> int:
        """What the named policy on turn chooses."""
        seat = self.env.agent_selection
        policy, seen = self._played[seat], self.env.observe(seat)
        view = self.env.view(seat) if plans(policy) else None
        vector, mask = seen["observation"][None], seen["action_mask"][None]
        return int(policy.act(vector, mask, self._numbers, view)[0])


class Player(TorchRLModule):  # type: ignore[misc]
    """The network as a module that is not trained: a past self."""

    def setup(self) -> None:
        self.network = Network(Shape(**self.model_config["shape"]))

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        return {Columns.ACTION_DIST_INPUTS: self._answers(batch)[0]}

    def _answers(self, batch: dict[str, Any]) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits over all actions, `PADDING` where illegal, and values."""
        seen = batch[Columns.OBS]
        listed = seen["legal_actions"] >= 0
        scores, values = self.network(
            seen["observation"], seen["legal_actions"], listed.sum(1), seen["action_features"]
        )
        # the list is ascending, so it fills the mask in order
        legal = seen["action_mask"].bool()
        padding = torch.full(legal.shape, float(PADDING), device=legal.device)
        return padding.masked_scatter(legal, scores[listed]), values


class Learner(Player, ValueFunctionAPI):  # type: ignore[misc]
    """The network as the module that is trained."""

    def _forward_train(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        # the values travel as embeddings, so that the loss needs no second pass for them
        logits, values = self._answers(batch)
        return {Columns.ACTION_DIST_INPUTS: logits, Columns.EMBEDDINGS: values}

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> torch.Tensor:
        return self._answers(batch)[1] if embeddings is None else embeddings


def module_of(agent: str, *_: Any, **__: Any) -> str:
    """The module that plays an agent."""
    return agent.partition(":")[0]


def log_win_share(*, episode: Any, metrics_logger: Any, env: Any, env_index: int, **_: Any) -> None:
    """Logs a finished game for each kind of opponent that the learner met in it."""
    played = env.envs[env_index].unwrapped
    game, state = played.env.view(played.env.possible_agents[0])  # who has won is no secret
    shares = game.shares(state)[0]
    for agent in episode.agent_episodes:
        if played.opponents and module_of(agent) == SHARED:
            share = float(shares[played.env.possible_agents.index(agent.partition(":")[2])])
            for name in played.opponents:
                metrics_logger.log_value(("win_share", name), share, window=200)


class GameRunner(MultiAgentEnvRunner):  # type: ignore[misc]
    """Plays as many games for each batch as `env_config["num_games"]` says.

    RLlib would stop after one game for each environment; that keeps the short ones and drops the
    long ones.
    """

    def sample(self, **kwargs: Any) -> list[Any]:
        games = self.config.env_config["num_games"]
        return super().sample(**{"num_episodes": games, **kwargs})  # type: ignore[no-any-return]
