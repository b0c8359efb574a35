"""The grammar of JSON, judged at any depth without building a value."""

from typing import Final

from sidecar.patterns import compiled

_SPACE: Final = "[ \t\n\r]*+"
_STRING: Final = r'"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+"'
_KEY: Final = f"{_SPACE}{_STRING}{_SPACE}:"
_NUMBER: Final = r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+"
_WHOLE: Final = rf"{_SPACE}(?:{_STRING}|{_NUMBER}|true|false|null|\[{_SPACE}\]|\{{{_SPACE}\}}){_SPACE}"
"""A scalar, or a container with nothing in it."""

_OPENINGS: Final = compiled(rf"(?:{_SPACE}(?:\[(?!{_SPACE}\])|\{{{_KEY}))*+")
_VALUES: Final = {
    "": compiled(_WHOLE),
    "[": compiled(f"{_WHOLE}(?:,{_WHOLE})*+"),
    "{": compiled(f"{_WHOLE}(?:,{_KEY}{_WHOLE})*+"),
}
"""The values that may be next to each other, by the container they are in."""
_CLOSINGS: Final = compiled("[ \t\n\r\\]}]*+")
_FOLLOWING: Final = {"[": compiled(","), "{": compiled(f",{_KEY}")}
_STRINGS: Final = compiled(_STRING)
_BETWEEN: Final = dict.fromkeys(map(ord, " \t\n\r:"))
_CLOSED_BY: Final = str.maketrans("[{", "]}")


def is_json(text: str) -> bool:
    """Return whether a text is JSON by RFC 8259, as `JSON.parse` takes it. Time is linear in its length.

    Nesting costs no recursion: runs of brackets are matched as a whole, and the open ones are kept as a text.
    """
    containers: list[str] = []
    at = 0
    while True:
        opened = _OPENINGS.match(text, at)
        assert opened is not None  # it also matches nothing
        containers += _brackets(opened[0])
        values = _VALUES[containers[-1] if containers else ""].match(text, opened.end())
        if values is None:
            return False
        closed = _CLOSINGS.match(text, values.end())
        assert closed is not None
        if not _close(containers, closed[0]):
            return False
        if not containers:
            return closed.end() == len(text)
        following = _FOLLOWING[containers[-1]].match(text, closed.end())
        if following is None:
            return False
        at = following.end()


def _brackets(openings: str) -> str:
    return _STRINGS.sub("", openings).translate(_BETWEEN)


def _close(containers: list[str], closings: str) -> bool:
    """Close the innermost containers; return whether the brackets are theirs."""
    brackets = "".join(closings.split())
    if not brackets:
        return True
    closed = "".join(containers[-len(brackets) :])[::-1].translate(_CLOSED_BY)
    del containers[-len(brackets) :]
    return closed == brackets
