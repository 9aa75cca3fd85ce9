"""Dragon Delta's network."""
