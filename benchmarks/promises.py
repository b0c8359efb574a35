"""The bars: each is a ratio to a peer measured in the same run, because a time belongs to one machine."""

from typing import Final

ROUND_TRIP: Final = 1.5
"""A small request, at most so many times a bare echo."""
FIRST_ANSWER: Final = 1.5
"""Start to first answer, at most so many times the import of pygls."""
FIRST_LIST: Final = 3.0
"""A list of 1,000 tasks with nothing kept, at least so many times faster than the guide under Node."""
