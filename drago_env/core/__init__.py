"""What games are made of: compiled loops, chance, checks, records and states; knows no game."""
