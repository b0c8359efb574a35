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
_ui = _object({"ts": _times, "say": st.just('"text"'), "text": _texts})
_api = _object({"role": _roles, "content": _contents, "ts": _times})


def files() -> st.SearchStrategy[tuple[bytes, bytes]]:
    """Draw the bytes of a task's two files."""
    return st.tuples(_array(_ui, 3).map(_encode), _array(_api, 4).map(_encode))


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
