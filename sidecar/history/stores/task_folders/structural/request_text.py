"""The JSON inside the text of a request message, without the prompt that some products keep in it."""

from typing import Final

SHORT: Final = 500
"""Bytes up to which a text is decoded as fast as it is looked through."""
_FORMS: Final = ((rb'"{\"request\":\"', rb"\",\""), (rb'"{\"request\": \"', rb"\", \""))
"""How the text starts, and what is between the prompt and the next member; other writers use spaces."""
_TRIES: Final = 8
_LONGEST_RUN: Final = 64


def without_prompt(text: bytes) -> bytes:
    """Cut a leading prompt out of a request's text, a JSON string that is still encoded.

    Cline, and Roo until 2025-09, keep the whole prompt there: half of the file, and none of it tells usage.
    A text of another form comes back as it is.
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
    r"""Tell a quote that ends a string of the inner JSON from one of its content, by what is before it.

    Encoded twice, a backslash of the content has become four, and a quote of it has three more than one.
    """
    backslashes = len(before) - len(before.rstrip(b"\\"))
    return backslashes < _LONGEST_RUN and backslashes % 4 == 1
