"""The table of problems of stored tasks, with stable codes."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from sidecar.api.stored.tasks import Problem

PROBLEM_CODES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "empty": "there are no messages: the files hold none or cannot be read, and there is no list entry",
        "missing": "an expected message file is missing",
        "unreadable": "a file cannot be opened or read",
        "notRegular": "something that should be a file is a link, pipe, device or directory",
        "tooLarge": "a file exceeds the size limit and was not read",
        "recovered": "the file is missing; a crashed save's leftover, or one with its former name, was read",
        "badUtf8": "bytes that are not UTF-8 were replaced",
        "byteOrderMark": "the file starts with a byte order mark, which its product does not accept",
        "padding": "zero bytes surround the content, as after a power loss",
        "wrapped": "the messages are inside an object, which most releases read as empty",
        "cut": "the file ends inside a message; the complete ones before it were kept",
        "strayTail": "something follows the end of the messages and was ignored",
        "malformed": "invalid JSON, or messages that are not objects; broken parts were repaired or skipped",
        "internal": "the sidecar failed to read the task because of a bug",
        "notMessages": "the file holds no array of messages",
    }
)
"""Meanings by the code of the problem."""


def problem(code: str, message: str) -> Problem:
    """Make a problem; an unknown `code` is a bug (KeyError)."""
    PROBLEM_CODES[code]
    return Problem(code=code, message=message)
