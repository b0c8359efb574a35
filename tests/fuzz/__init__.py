"""Coverage-guided fuzzing of what reads foreign bytes: `python -m tests.fuzz --seconds 60`."""
