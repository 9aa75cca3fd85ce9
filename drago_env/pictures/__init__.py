"""Pictures of any game: shapes, windows, charts and replay pages; knows no game."""
