"""The JSON inside the text of a request message, without the prompt that some products keep in it."""

from typing import Final

SHORT: Final = 500
"""The size in bytes up to which decoding a text is as fast as searching it."""
_FORMS: Final = ((rb'"{\"request\":\"', rb"\",\""), (rb'"{\"request\": \"', rb"\", \""))
"""How the text starts, and what is between the prompt and the next member; other writers use spaces."""
_TRIES: Final = 8
_LONGEST_RUN: Final = 64


def without_prompt(text: bytes) -> bytes:
    """Cut a leading prompt out of a request's text, a JSON string that is still encoded.

    Cline, and Roo until 2025-09, keep the whole prompt there: half of the file, without any usage.
    A text of another form is returned unchanged.
    """
    if len(text) >= SHORT:
        for start, parting in _FORMS:
            if text.startswith(start):
                return _without_first(text, len(start), parting)
    return text


def _without_first(text: bytes, inside: int, parting: bytes) -> bytes:
    at = inside - 1
    for _ in range(_TRIES):
        at = text.find(parting, at + 1)
        if at < 0:
            break
        if _ends_string(text[max(inside, at + 1 - _LONGEST_RUN) : at + 1]):
            return b'"{' + text[at + len(parting) - 2 :]
    return text


def _ends_string(before: bytes) -> bool:
    r"""Return whether a quote ends a string of the inner JSON, rather than being part of its content.

    The text `before` it decides: encoded twice, a backslash in the content becomes four, and a quote gets
    three more backslashes than one that ends a string.
    """
    backslashes = len(before) - len(before.rstrip(b"\\"))
    return backslashes < _LONGEST_RUN and backslashes % 4 == 1
