"""A network that plays: checkpoint files that hold no code, and the policy `neural`.

`neural` is the network that ships with the agents for the game that is played,
`neural:path=runs/x/network.safetensors` any other; with `temperature=1` it draws from its
distribution instead of taking the best action.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from safetensors import safe_open

from agents.files import reading, write_tensors
from agents.network import Floats, Network, Shape, Weights, softmax, thumbs_inputs
from drago_env.core.planning import foresee, foresight_size, judge
from drago_env.game import Game, Legal, State
from drago_env.moved import moved
from drago_env.policy import Policy, View, planned, row_numbers
from drago_env.thumbs import weights_of

FORMAT = "drago-network/1"
COOLEST, HOTTEST = 0.01, 100.0
HEAVIEST = 1e6  # of a weight


class CheckpointError(ValueError):
    """A checkpoint file that cannot be used; the message names the file, and what is wrong."""


@dataclass(frozen=True)
class Checkpoint:
    """What a checkpoint file holds."""

    path: Path
    weights: Weights
    shape: Shape
    signature: dict[str, Any]  # of the game that it was trained for: see `Game.signature`
    card: dict[str, Any]  # how it was made


# ---------------------------------------------------------------- files


def fingerprint(signature: dict[str, Any]) -> str:
    """A hash of what fixes the meaning of a network's inputs and outputs."""
    text = json.dumps(signature, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def save(
    path: str | Path,
    weights: Weights,
    shape: Shape,
    signature: dict[str, Any],
    card: dict[str, Any] | None = None,
) -> None:
    """Writes a checkpoint, whole or not at all; `signature` is that of the game.

    The `card` is any JSON object that says how the network was made.
    """
    path = Path(path)
    tensors = {name: np.ascontiguousarray(w, np.float32) for name, w in weights.items()}
    _check_tensors(path, shape, {name: ("F32", w.shape) for name, w in tensors.items()})
    _check_finite(path, tensors)
    about = {
        "format": FORMAT,
        "shape": asdict(shape),
        "signature": signature,
        "fingerprint": fingerprint(signature),
        "card": card or {},
    }
    # one text, because the order of several would change from file to file
    texts = {"about": json.dumps(about, sort_keys=True)}
    write_tensors(path, tensors, texts)


def load(path: str | Path) -> Checkpoint:
    """Reads a checkpoint; whatever is wrong with the file is refused before it is believed."""
    path = Path(path)
    if path.is_dir():
        raise CheckpointError(
            f"{path} is a folder; name the file in it, such as {path / 'network.safetensors'}"
        )
    try:
        with reading(path, CheckpointError), safe_open(path, framework="numpy") as file:
            shape, signature, card = _about(path, file.metadata() or {})
            # the sizes first: nothing is read that the shape does not ask for
            parts = {name: file.get_slice(name) for name in file.keys()}  # noqa: SIM118
            found = {name: (p.get_dtype(), tuple(p.get_shape())) for name, p in parts.items()}
            _check_tensors(path, shape, found)
            weights = {name: file.get_tensor(name) for name in shape.tensors}
    except FileNotFoundError:
        raise CheckpointError(f"there is no checkpoint {path}; {_ADVICE}") from None
    _check_finite(path, weights)
    return Checkpoint(path, weights, shape, signature, card)


_ADVICE = (
    "train one (`python -m train.ppo --help` says how) and name its file, "
    "such as neural:path=runs/x/network.safetensors"
)


def _about(path: Path, texts: dict[str, str]) -> tuple[Shape, dict[str, Any], dict[str, Any]]:
    """The shape, the signature and the card of a file."""
    try:
        about = json.loads(texts.get("about", "{}"))
    except (ValueError, RecursionError) as error:
        raise CheckpointError(f"{path}: what it says of itself is no JSON: {error}") from error
    written = about.get("format") if isinstance(about, dict) else about
    if written != FORMAT:
        raise CheckpointError(f"{path} must be of the format {FORMAT!r}, not {written!r:.40}")
    sizes, signature, card = (about.get(key) for key in ("shape", "signature", "card"))
    if not isinstance(signature, dict) or not isinstance(card, dict):
        raise CheckpointError(f"{path}: the signature and the card must be JSON objects")
    try:
        shape = Shape(**{**sizes, "trunk": tuple(sizes["trunk"]), "action": tuple(sizes["action"])})
    except (KeyError, TypeError, ValueError) as error:
        raise CheckpointError(f"{path}: the shape cannot be read: {error!s:.200}") from error
    if about.get("fingerprint") != fingerprint(signature):
        raise CheckpointError(f"{path}: the fingerprint is not that of the signature beside it")
    return shape, signature, card


def _check_tensors(path: Path, shape: Shape, found: dict[str, tuple[str, tuple[int, ...]]]) -> None:
    """Refuses tensors that are missing, of another shape or type, or of no use."""
    wanted = shape.tensors
    for name in sorted(wanted.keys() | found.keys()):
        if name not in found:
            raise CheckpointError(f"{path}: the tensor {name} is missing")
        if name not in wanted:
            raise CheckpointError(f"{path}: the tensor {name!r:.60} does not belong to its shape")
        if found[name] != ("F32", wanted[name]):
            kind, size = found[name]
            raise CheckpointError(
                f"{path}: the tensor {name} must be F32 of shape {wanted[name]}, "
                f"not {kind} of shape {size!s:.60}"
            )


def _check_finite(path: Path, weights: Weights) -> None:
    for name, weight in weights.items():
        if not np.all(np.abs(weight) <= HEAVIEST):  # with greater ones its sums overflow
            raise CheckpointError(
                f"{path}: the tensor {name} has numbers that are not finite or beyond "
                f"{HEAVIEST:,.0f}: the training went astray, or the file is damaged"
            )


# ---------------------------------------------------------------- the policy


class Evaluation(NamedTuple):
    """What the network says of positions; finished games have neither actions nor a value."""

    legal: Legal
    priors: Floats  # (n, max_legal): the probability of each listed action; 0 past the count
    values: Floats  # (n,): the final reward that the seat on turn may expect


def shipped(game: str) -> Path:
    """Where the network that ships for a game is, if there is one."""
    return Path(__file__).parent / game / "network.safetensors"


class Neural:
    """Plays what the network likes best, or with a temperature draws from its distribution.

    Without a checkpoint it is the network that ships for the game that is played.
    """

    plans = True  # the features of the actions come from the view; they hold nothing hidden

    def __init__(
        self, checkpoint: Checkpoint | None = None, temperature: float = 0.0, name: str = "neural"
    ) -> None:
        number = isinstance(temperature, int | float) and not isinstance(temperature, bool)
        if not number or not (temperature == 0 or COOLEST <= temperature <= HOTTEST):
            raise ValueError(
                f"temperature must be 0 (the best action) or from {COOLEST} to {HOTTEST} "
                f"(1 is the network's own distribution), not {temperature!r}"
            )
        self.name, self.checkpoint, self.temperature = name, checkpoint, temperature
        self._known = checkpoint and (checkpoint, Network(checkpoint.shape, checkpoint.weights))

    def act(
        self,
        observation: NDArray[np.float32],
        mask: NDArray[np.int8],
        rng: np.random.Generator,
        view: View | None = None,
    ) -> NDArray[np.int64]:
        """An action for each row of the view."""
        game, state = planned(view, self.name)
        legal = game.legal(state)
        logits, _ = self._forward(game, state, observation, legal)
        if self.temperature:
            priors = softmax(logits / np.float32(self.temperature))
            picks = draw(priors, legal.counts, row_numbers(rng, len(mask)))
        else:
            picks = logits.argmax(1)  # the first of several that are equal
        actions: NDArray[np.int64] = legal.actions[np.arange(len(mask)), picks].astype(np.int64)
        return actions

    def held(self, game: str) -> Checkpoint:
        """The checkpoint that it plays a game by."""
        return self.checkpoint or _shipped(game)[0]

    def digest(self, game: str) -> str:
        """What tells the weights from others; `game` is the one that is played."""
        held, found = self.held(game), hashlib.sha256()
        for name in sorted(held.weights):
            found.update(name.encode() + held.weights[name].tobytes())
        return found.hexdigest()[:16]

    def evaluate(self, game: Game, state: State) -> Evaluation:
        """The network's opinion of every game, for a search that it guides."""
        turn = game.look(state)
        logits, values = self._forward(game, state, turn.observation, turn.legal)
        running = turn.legal.counts > 0
        return Evaluation(turn.legal, softmax(logits) * running[:, None], values * running)

    def _forward(
        self, game: Game, state: State, observation: Floats, legal: Legal
    ) -> tuple[Floats, Floats]:
        checkpoint, network = self._known or _shipped(game.spec.name)
        check_game(checkpoint, game)
        features = inputs(game, state, legal, checkpoint.shape)
        return network.forward(observation, legal.actions, legal.counts, features)


def inputs(game: Any, state: State, legal: Legal, shape: Shape) -> Floats:
    """What a network reads of each listed action, `(n, max_legal, inputs)`; nothing hidden."""
    features: Floats = game.features(state, legal)
    if not shape.thumbs:
        return features
    found = judge(game, state, weights_of(game, "heuristic"))
    foreseen = [foresee(game, state, legal)] if shape.foresight else []
    return np.concatenate([features, *foreseen, thumbs_inputs(found.values, found.counts)], 2)


@cache
def _shipped(game: str) -> tuple[Checkpoint, Network]:
    if not shipped(game).exists():
        raise CheckpointError(f"no network ships for {game} yet; {_ADVICE}")
    checkpoint = load(shipped(game))
    return checkpoint, Network(checkpoint.shape, checkpoint.weights)


def check_game(checkpoint: Checkpoint, game: Game) -> None:
    """Refuses a game whose observations or actions mean something else than in training."""
    shape, spec = checkpoint.shape, game.spec
    trained = {
        **checkpoint.signature,
        "observation_size": shape.observation_size,
        "feature_size": shape.feature_size,
        "num_actions": shape.num_actions,
    }
    here = {
        **game.signature,
        "observation_size": spec.observation_size,
        "feature_size": spec.feature_size,
        "num_actions": spec.num_actions,
    }
    if shape.foresight:
        trained["foresight"], here["foresight"] = shape.foresight, foresight_size(game)
    if trained == here:
        return
    keys = [key for key in {**trained, **here} if trained.get(key) != here.get(key)]
    was = ", ".join(f"{key} {trained.get(key)}" for key in keys)
    now = ", ".join(f"{key} {here.get(key)}" for key in keys)
    raise CheckpointError(
        f"{checkpoint.path} was trained for {was:.200}, but this game has {now}; "
        "train a network for this game, or play the game that it knows"
    )


def draw(priors: Floats, counts: NDArray[np.int64], numbers: NDArray[np.uint64]) -> Any:
    """A place in each row's list, drawn by its priors with the row's own random number."""
    sums = priors.cumsum(1)
    level = (numbers >> np.uint64(40)).astype(np.float32) * np.float32(2**-24) * sums[:, -1]
    # rounding may lift the level to the last sum itself
    return np.minimum((sums <= level[:, None]).sum(1), counts - 1)


def neural(
    path: str | None = None,  # of a checkpoint; by default the network that ships
    temperature: float = 0.0,  # 0 plays the best action, 1 draws from the network's distribution
) -> Policy:
    """The policy `neural`: of the network that ships, or of the checkpoint at `path`."""
    words = [] if path is None else [f"path={path}"]
    words += [f"temperature={temperature}"] if temperature else []
    name = "neural" + (":" if words else "") + ",".join(words)
    return Neural(None if path is None else load(str(path)), temperature, name)


make = neural


__getattr__ = moved(__name__, {"SHIPPED": ("", "agents.neural.shipped(game), for any game")})
