"""What can be chosen on the page before a game: games, agents, seats and variants, from lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from agents.seating import names_of
from agents.session import Refused, Seating
from drago_env import games
from drago_env.core.checks import whole
from drago_env.game import Game
from drago_env.pictures.table import table_of
from drago_env.policy import Policy, RowGenerator, ask, known, resolve, streams

DEFAULTS = ("search", "uniform")  # who plays unless something else is chosen: the first there is


class Lobby:
    """The lists, and tables made of what was chosen from them.

    Agents are those that this program knows by name and those that its command line named: a
    request picks one of them, and can name nothing else.
    """

    def __init__(self, named: Mapping[str, Sequence[str]] | None = None) -> None:
        self._named = named or {}  # agents of the command line, by game

    @cached_property
    def lists(self) -> list[dict[str, Any]]:
        """For each game what the page lets people choose."""
        return [self._game(name) for name in games.GAMES]

    def _game(self, name: str) -> dict[str, Any]:
        game = games.make(name)
        table, spec = table_of(game), game.spec
        agents = [agent for agent in known(name) if agent != "human"]
        return {
            "name": name,
            "title": spec.title,
            "goal": table.goal(game.new(0)),
            "seat_name": spec.seat_name,
            "players": [spec.min_players, spec.max_players],
            "agents": list(dict.fromkeys([*agents, *self._named.get(name, ())])),
            "default": next(agent for agent in DEFAULTS if agent in agents),
            "options": [
                {"word": word, "label": label, "values": [words for _, words in values]}
                for word, label, values in table.options
            ],
        }

    def seating(self, chosen: Mapping[str, Any]) -> Seating:
        """The table that somebody chose; everything in it is checked."""
        found = {one["name"]: one for one in self.lists}
        asked = {"game", "agents", "seat", "options"}
        if chosen.keys() != asked:
            raise Refused(f"a table has {', '.join(sorted(asked))}, not {', '.join(chosen)[:80]}")
        lists = found.get(_text(chosen["game"]))
        if lists is None:
            raise Refused(f"game must be one of {', '.join(found)}, not {chosen['game']!r:.40}")
        agents = chosen["agents"]
        if not isinstance(agents, list) or not {_text(a) for a in agents} <= {*lists["agents"]}:
            raise Refused(f"agents must be a list of {', '.join(lists['agents'])}")
        seat, watching = chosen["seat"], chosen["seat"] is None
        players = len(agents) + (not watching)
        least, most = lists["players"]
        if not least <= players <= most:
            raise Refused(f"{lists['title']} is for {least} to {most}, not for {players}")
        if not watching:
            seat = whole("seat", seat, 0, players - 1, Refused)
        words = self._words(lists["name"], chosen["options"])
        game = games.make(lists["name"], players=players, **words)
        made = {agent: _able(agent, game) for agent in agents}
        return seated(game, seat, agents, made, chosen)

    def _words(self, name: str, options: Any) -> dict[str, Any]:
        """The words of the spec that were chosen, by the numbers of their values."""
        there = {option.word: option for option in table_of(games.make(name)).options}
        if not isinstance(options, dict) or not options.keys() <= there.keys():
            raise Refused(f"options may have {', '.join(there) or 'nothing'}")
        words = {}
        for word, number in options.items():
            values = there[word].values
            words[word] = values[whole(word, number, 0, len(values) - 1, Refused)][0]
        return words


def seated(
    game: Game,
    seat: int | None,
    agents: Sequence[str],
    made: Mapping[str, Policy],
    chosen: Mapping[str, Any] | None = None,
) -> Seating:
    """A table at which the agents sit in this order, the seat after the person's first."""
    if seat is None:
        return Seating(
            game, None, names_of(agents), dict(enumerate(made[a] for a in agents)), chosen
        )
    players = len(agents) + 1
    names = names_of(("human", *agents))
    turn = players - seat  # from the own seat to seat 0
    others = {(seat + k) % players: made[agent] for k, agent in enumerate(agents, 1)}
    return Seating(game, seat, names[turn:] + names[:turn], others, chosen)


def _able(agent: str, game: Game) -> Policy:
    """The policy, asked once about a deal of no game: some need files that are not there."""
    try:
        policy = resolve(agent, game)
        state, rows = game.new(0), np.zeros(1, np.int64)
        rng = RowGenerator(np.random.PCG64(0))
        ask(policy, game, state, game.look(state), rows, rng, streams(0))
    except (OSError, ValueError, TypeError, ImportError) as error:
        raise Refused(f"{agent} cannot play {game.spec.title}: {error}") from error
    return policy


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
