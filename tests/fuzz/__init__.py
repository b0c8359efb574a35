"""Fuzzing of what reads the bytes of others: `python -m tests.fuzz definitions --seconds 60`."""
