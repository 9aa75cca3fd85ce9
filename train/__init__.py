"""Training: networks and the scripts that teach them."""
