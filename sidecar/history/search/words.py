"""Prepare texts for the index, and turn search words into expressions. Pure."""

import re
from typing import Final

from sidecar.api.errors import InvalidParams
from sidecar.history.stored.texts import encodable

MAX_TERMS: Final = 64
MAX_TEXT: Final = 1_000
"""The longest search text, in characters."""
MAX_INDEXED: Final = 16_384
"""The most characters indexed per message; the rest is not found."""
MARKS: Final = ("\x02", "\x03")
"""The marks before and after a found word in a snippet."""

_TERM: Final = re.compile(r'"([^"]*)"?|([^\s"]+)')
_IDEOGRAPH: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_PARTED: Final = re.compile(f"({_IDEOGRAPH.pattern}[\x02\x03]?) {{1,2}}(?=[\x02\x03]?{_IDEOGRAPH.pattern})")
_ADDED: Final = re.compile(r"<environment_details>.*?(?:</environment_details>|\Z)", re.DOTALL)
_WRAPPER: Final = re.compile(r"</?(?:task|user_message)>")
_CONTROL: Final = re.compile("[\x00-\x08\x0b-\x1f]")


def typed(text: str) -> str:
    """Return what a person typed, without what task folders' products send to the model with it."""
    return _WRAPPER.sub("", _ADDED.sub("", text)).strip() if "<" in text else text


def indexable(text: str) -> str:
    """Cut a text and split it into words: remove control characters, make each ideograph a word.

    Lone surrogates, which SQLite does not take, are replaced.
    """
    cut = encodable(_CONTROL.sub(" ", text[:MAX_INDEXED]))
    return cut if cut.isascii() else _IDEOGRAPH.sub(r" \g<0> ", cut)


def readable(snippet: str) -> str:
    """Join ideographs again and put the snippet on one line."""
    if not snippet.isascii():
        snippet = _PARTED.sub(r"\1", snippet)
    return " ".join(snippet.split())


def match_expression(text: str) -> str:
    """Turn words, "phrases" and prefixes such as `migrat*` into an FTS5 expression; all must occur.

    Everything is quoted, so operators of FTS5 have no effect. Raises InvalidParams.
    """
    if len(text) > MAX_TEXT:
        raise InvalidParams(f"text: use at most {MAX_TEXT} characters")
    terms = [term for phrase, word in _TERM.findall(text) if (term := _term(phrase, word))]
    if not terms:
        raise InvalidParams("text: contains no word to search for")
    if len(terms) > MAX_TERMS:
        raise InvalidParams(f"text: use at most {MAX_TERMS} words")
    return " ".join(terms)


def _term(phrase: str, word: str) -> str:
    given = indexable(phrase or word)
    if not any(char.isalnum() for char in given):
        return ""
    prefix = "*" if word.endswith("*") else ""
    return '"' + given.rstrip("*").replace('"', '""') + f'"{prefix}'
