"""Prepare stored texts for a row."""

import re
from typing import Final

_SURROGATES: Final = re.compile("[\ud800-\udfff]")


def one_line(text: str) -> str:
    """Make each run of white space one space, and the text encodable."""
    return encodable(" ".join(text.split()))


def is_encodable(text: str) -> bool:
    """Return whether a text, such as the name of a file, has no lone surrogates."""
    return text.isascii() or encodable(text) is text


def encodable(text: str) -> str:
    """Replace lone surrogates, which no encoding takes, by U+FFFD, as Node does when it prints them."""
    if text.isascii():
        return text
    try:
        text.encode()  # at most a quarter of the time of a search for surrogates
    except UnicodeEncodeError:
        return _SURROGATES.sub("\ufffd", text)
    return text
