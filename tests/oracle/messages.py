"""Strategies for message files: mostly well-formed, full of words and marks that the guide looks for."""

import json
from typing import Any

from hypothesis import strategies as st

from tests.oracle.traps import BODIES, NOW_MS, ODD_VALUES, STATUS_TEXTS, TITLES

_WRITTEN = sorted({*STATUS_TEXTS.values(), *TITLES.values(), *BODIES.values()})
_MARKS = [
    "<slug>",
    "</slug>",
    "<name>",
    "</name>",
    "<task>",
    "</task>",
    r"\n",
    r"\u2028",
    " ",
    "(",
    ")",
    "é",
    "😀",
    "k",
]
_MARKS += [r"\"tokensIn\":1,\"tokensOut\":2", r"\"cost\":", "1.5", "Current Workspace Directory ("]

_written = st.lists(st.sampled_from(_WRITTEN + _MARKS * 3), max_size=6).map(
    lambda parts: f'"{"".join(parts)}"'
)
_WORDS = ["attempt_completion", "task completed", "successfully completed", "error", "failed", "exception"]
_ESCAPED = {
    "t": [r"\t", r"\u0009"],
    "f": [r"\f", r"\u000c", r"\u000C"],
    "k": ["\u212a", r"\u212a", r"\u212A"],
}
_BEFORE = ["", "", "", " ", r"\\", r"\n", r"\/", r"\u001b[31m", r"\ud83d\ude00", "é", "\u0130", r"\u2028"]
_JOINED = [r"\u00a", r"\u20a", r"\u662", r"\u000", r"\u001", r"\ud83", r"\udca", r"\ud83d\udca", r"\\u00"]


def _spell(letter: str) -> st.SearchStrategy[str]:
    """Draw one of the ways to write a letter, or something that is merely like it; mostly as it is."""
    ways = [letter.upper(), f"\\u{ord(letter):04x}", f"\\u{ord(letter):04X}", *_ESCAPED.get(letter, [])]
    return st.sampled_from([letter] * 20 + ways)


def _spellings(word: str) -> st.SearchStrategy[str]:
    # Only behind a letter that is a digit, too, may an escape be left unfinished.
    joined = _JOINED if word[0] in "abcdef" else []
    letters = st.tuples(*map(_spell, word)).map("".join)
    return st.one_of(
        st.tuples(st.sampled_from(_BEFORE), letters).map("".join),
        st.sampled_from(joined or [""]).map(lambda before: before + word),
    )


_spelt = st.lists(st.sampled_from(_WORDS).flatmap(_spellings), max_size=2).map(
    lambda parts: f'"{"".join(parts)}"'
)
_plain = st.text(max_size=12).map(json.dumps)
_odd = st.sampled_from(ODD_VALUES)
_texts = st.one_of(_written, _written, _plain)


def _object(members: dict[str, st.SearchStrategy[str]]) -> st.SearchStrategy[str]:
    """Build an object of some of the members, in their order, as JSON text."""
    options = {name: st.one_of(value, value, value, st.none()) for name, value in members.items()}
    return st.fixed_dictionaries(options).map(_print)


def _print(members: dict[str, Any]) -> str:
    return "{" + ",".join(f'"{name}":{value}' for name, value in members.items() if value is not None) + "}"


def _array(items: st.SearchStrategy[str], size: int) -> st.SearchStrategy[str]:
    return st.lists(items, max_size=size).map(lambda parts: f"[{','.join(parts)}]")


_times = st.one_of(
    st.integers(NOW_MS - 10**9, NOW_MS).map(str), st.integers(NOW_MS - 10**9, NOW_MS).map(str), _odd
)
_blocks = st.one_of(_object({"type": st.just('"text"'), "text": _texts}), _object({"text": _odd}))
_contents = st.one_of(_texts, _array(_blocks, 3), _array(_blocks, 3), _odd)
_roles = st.sampled_from(['"user"', '"user"', '"assistant"'])
_results = st.one_of(_spelt, _array(_object({"text": _spelt}), 2))
_spelt_blocks = _object({"text": _spelt, "content": _results, "input": _object({"path": _spelt})})
_spelt_api = _object(
    {"role": _roles, "content": st.one_of(_spelt, _array(_spelt_blocks, 2)), "ts": _times, "note": _spelt}
)
_spelt_ui = _object({"ts": _times, "text": _spelt})
_ui = _object({"ts": _times, "say": st.just('"text"'), "text": _texts})
_api = _object({"role": _roles, "content": _contents, "ts": _times})


def files() -> st.SearchStrategy[tuple[bytes, bytes]]:
    """Draw the bytes of a task's two files."""
    return st.tuples(_array(_ui, 3).map(_encode), _array(_api, 4).map(_encode))


def spelt_files() -> st.SearchStrategy[tuple[bytes, bytes]]:
    """Draw files that hold the words of the status in every spelling, and what merely looks like them."""
    return st.tuples(_array(_spelt_ui, 2).map(_encode), _array(_spelt_api, 3).map(_encode))


def damaged_files() -> st.SearchStrategy[tuple[bytes, bytes]]:
    """Draw files of which a few bytes were replaced, lost or put in."""
    pieces = [*b'"\\,:[]{}0-.e u\0\x1f\x7f\xff\xf0', b"\xe2\x84", b"\xed\xa0\x80", b"\xc0\xaf", b"\\u00"]
    put = st.sampled_from([piece if isinstance(piece, bytes) else bytes([piece]) for piece in pieces])
    damage = st.tuples(st.floats(0, 1), st.integers(0, 2), put)
    either = st.one_of(files(), spelt_files())
    return st.tuples(either, damage, damage).map(
        lambda drawn: (_damage(drawn[0][0], *drawn[1]), _damage(drawn[0][1], *drawn[2]))
    )


def _damage(data: bytes, place: float, lost: int, put: bytes) -> bytes:
    at = int(place * len(data))
    return data[:at] + put + data[at + lost :]


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
