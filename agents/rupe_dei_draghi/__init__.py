"""La rupe dei draghi's tuning and its network."""
