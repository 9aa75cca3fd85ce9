"""Training: networks and the scripts that teach them."""

from drago_env.checkout import check_installed, hidden_by
from drago_env.moved import moved_modules

check_installed("train", "torch", "tyro", "safetensors", always=True)
if _HIDDEN := hidden_by("agents"):
    raise ImportError(f"training needs drago-env's agents: {_HIDDEN}")
moved_modules(__name__, {"learner": ("train.ppo", {})})
