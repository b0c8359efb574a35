"""Finds idioms that are not plain American English: `python -m tests.language sidecar/history`."""
