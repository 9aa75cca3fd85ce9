"""Small games solved: their graph, exact values, MCCFR and best responses."""
