"""Agents: one policy a file, named by specs such as `search:playouts=64`; and their arena."""
