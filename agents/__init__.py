"""Agents: one policy a file, named by specs such as `search:playouts=64`; and their arena."""

from drago_env.checkout import check_installed
from drago_env.games import DEFAULT, GAMES
from drago_env.moved import moved_modules

check_installed("agents", "tyro", "rich", "pandas", "scipy", "safetensors")
_OWN = GAMES[DEFAULT]
moved_modules(
    __name__,
    {
        "search": (
            "drago_env.search",
            {
                "PLAYOUTS": ("", "game.planner.playouts, of each game"),
                "LEAVES": ("", "game.planner.leaves, of each game"),
            },
        ),
        "greedy": (f"{_OWN}.greedy", {}),
        "heuristic": (f"{_OWN}.heuristic", {}),
        "tune": (f"agents.{DEFAULT}.tune", {}),
        "weights": (
            f"{_OWN}.planning",
            {
                "PATH": "WEIGHTS",
                "array": (f"{_OWN}.former:array", f"{_OWN}.planning.weights"),
                "planned": "drago_env.policy:planned",
            },
        ),
        "tables": (
            "agents.seating",
            {
                "COLUMNS": ("", "agents.seating.Config.columns"),
                "make_game": ("", "agents.seating.Config.rule_book"),
                "guests": "who_plays",
                "outcome": ("", "drago_env.core.outcome.standings(game, state)"),
            },
        ),
    },
)
