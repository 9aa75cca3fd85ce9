"""Agents: one policy a file, named by specs such as `search:playouts=64`; and their arena."""

from drago_env.checkout import check_installed
from drago_env.games import DEFAULT, GAMES
from drago_env.moved import moved

check_installed("agents", "tyro", "rich", "pandas", "scipy", "safetensors")
_OWN = GAMES[DEFAULT]
__getattr__ = moved(
    __name__,
    {
        "search": "drago_env.search",
        "greedy": f"{_OWN}.greedy",
        "heuristic": f"{_OWN}.heuristic",
        "weights": f"{_OWN}.planning",
        "tables": "agents.seating",
        "tune": f"agents.{DEFAULT}.tune",
    },
)
