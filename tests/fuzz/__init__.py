"""Fuzz the code that reads bytes from others: `python -m tests.fuzz definitions --seconds 60`."""
