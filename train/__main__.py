"""`python -m train`: what there is to run."""

import sys

print(
    """Commands, each with --help:
  python -m train.ppo         self-play PPO
  python -m train.sb3_ppo     MaskablePPO of Stable-Baselines3 against named agents
  python -m train.rllib_ppo   PPO in RLlib
  python -m train.average     the mean of several networks
  python -m train.demo        a network from nothing in some minutes""",
    file=sys.stderr,
)
sys.exit(2)
