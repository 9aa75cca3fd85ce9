"""Mount Drago's tuning and its network."""
