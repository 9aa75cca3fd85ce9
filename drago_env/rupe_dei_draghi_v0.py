"""La rupe dei draghi for every library: PettingZoo, Gymnasium and the batched makers."""

from drago_env.wrappers.makers import makers

env, raw_env, single_env, vector_env, selfplay_env, sb3_env, game = makers("rupe_dei_draghi")
