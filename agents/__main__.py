"""`python -m agents`: what there is to run."""

import sys

print(
    """Commands, each with --help:
  python -m agents.play          play against agents, or watch them
  python -m agents.arena         let agents play each other, and compare them
  python -m agents.leaderboard   the leaderboard of a game
  python -m agents.skill         how far agents are above a base policy, and below the fair ceiling
  python -m agents.exploit       what somebody wins who is out for one agent
  python -m agents.solve         solve a small game exactly""",
    file=sys.stderr,
)
sys.exit(2)
