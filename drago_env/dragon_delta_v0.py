"""Dragon Delta for every library: PettingZoo's `env()` and `raw_env()`, and the batched makers."""

from drago_env.wrappers.makers import makers

env, raw_env, single_env, vector_env, selfplay_env, sb3_env, game = makers("dragon_delta")
