"""Read the SQLite databases of other programs without a trace."""
