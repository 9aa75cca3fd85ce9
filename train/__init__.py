"""Training: networks and the scripts that teach them."""

from importlib.util import find_spec

_MISSING = [name for name in ("torch", "tyro", "safetensors") if find_spec(name) is None]
if _MISSING:
    raise ImportError(f'training needs {", ".join(_MISSING)}: pip install -e ".[train]"')
