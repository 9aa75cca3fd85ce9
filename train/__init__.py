"""Training: networks and the scripts that teach them."""

from importlib.util import find_spec

from drago_env.checkout import hidden_by

_MISSING = [name for name in ("torch", "tyro", "safetensors") if find_spec(name) is None]
if _MISSING:
    raise ImportError(f'training needs {", ".join(_MISSING)}: pip install -e ".[train]"')
if _HIDDEN := hidden_by("agents"):
    raise ImportError(f"training needs drago-env's agents: {_HIDDEN}")
