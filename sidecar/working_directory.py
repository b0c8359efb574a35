"""Detect that the working directory was removed, which makes a start fail in many places."""

from pathlib import Path

GONE = "the working directory no longer exists; change to one that exists and run the command again"


def is_gone() -> bool:
    """Return whether the working directory was deleted."""
    try:
        Path.cwd()
    except FileNotFoundError:
        return True
    return False


def explained(error: OSError) -> str:
    """Return the text of an error, with the remedy if the working directory was removed."""
    names_no_file = isinstance(error, FileNotFoundError) and error.filename is None
    return GONE if names_no_file and is_gone() else str(error)
