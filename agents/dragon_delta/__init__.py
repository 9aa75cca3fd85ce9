"""Dragon Delta's tuning and its network."""
