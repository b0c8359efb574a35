"""Determine what a tool call does from the names of its arguments (`rawInput`).

Names are compared without case, `_` and `-`, at the top level of the arguments and one level below.
"""

import json
import shlex
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

_LINES = ("command", "cmd")
_RUN = frozenset(
    {*_LINES, "commands", "commandline", "cmdline", "shellcommand", "script", "argv", "shell", "code"}
    | {"program", "executable"}
)
_URLS = frozenset({"url", "urls", "uri", "uris"})
_WRITTEN = frozenset(
    {"content", "contents", "filetext", "newtext", "newstring", "newstr", "newcontent", "newsource"}
    | {"oldtext", "oldstring", "oldstr", "replacement", "patch", "patchtext", "diff"}
)
_INERT = frozenset(
    [
        "args",
        "description",
        "reason",
        "justification",
        "timeout",
        "timeoutms",
        "callid",
        "turnid",
        "approvalid",
        "parsedcmd",
        "cwd",
        "workdir",
        "workingdirectory",
        "directory",
        "dirpath",
        "runinbackground",
        "isbackground",
        "yieldtimems",
        "maxoutputtokens",
    ]
)
"""Members that may accompany a command line without changing what runs."""


class Command(NamedTuple):
    """What a call runs. If `is_line`, `text` is a shell command line; otherwise it shows the arguments."""

    text: str
    is_line: bool


def command(raw: Any) -> Command | None:
    """Return what a call with these arguments runs; None if no argument names a command."""
    if isinstance(raw, str):
        return Command(raw, is_line=True) if raw else None
    if not isinstance(raw, Mapping):
        return Command(compact(raw), is_line=False) if raw else None
    if not any(name in _RUN for name, _ in _members(raw)):
        return None
    given = {_plain(name): value for name, value in raw.items() if not _is_empty(value)}
    lines = [_line(given[name]) for name in _LINES if name in given]
    is_known = all(name in _INERT or name in _LINES for name in given)
    if len(lines) != 1 or lines[0] is None or not is_known or len(given) < _count(raw):
        return Command(compact(raw), is_line=False)
    return _with_words(lines[0], given.get("args"), raw)


def url(raw: Any) -> str | None:
    """Return the URL that a call names; None unless it names exactly one, as text and not a local file."""
    given = [value for name, value in _members(raw) if name in _URLS]
    parts = [part for value in given for part in (value if isinstance(value, list) else [value])]
    found = set(parts) if all(isinstance(part, str) for part in parts) else set()
    text = found.pop() if len(found) == 1 else None
    return None if text is None or _is_local(text) else text


def has_remote_url(raw: Any) -> bool:
    """Return whether a call has a URL member, of any type, that is not a local file."""
    return any(
        name in _URLS and not (isinstance(value, str) and _is_local(value)) for name, value in _members(raw)
    )


def writes(raw: Any) -> bool:
    """Return whether a call has text to write to a file."""
    members = raw.items() if isinstance(raw, Mapping) else ()
    return any(_plain(name) in _WRITTEN and isinstance(value, str) and value for name, value in members)


def compact(value: Any) -> str:
    """Return a value as JSON on one line."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def _with_words(line: str, words: Any, raw: Mapping[str, Any]) -> Command:
    """Add the words of `args`. It is a command line only if a shell would not split or expand the words."""
    if words is None:
        return Command(line, is_line=True)
    if not isinstance(words, list) or not all(isinstance(each, str) for each in words):
        return Command(compact(raw), is_line=False)
    return Command(f"{line} {shlex.join(words)}", is_line=all(shlex.quote(each) == each for each in words))


def _line(given: Any) -> str | None:
    """Return a command line. Quotes the words of a list for a shell."""
    if isinstance(given, list):
        return shlex.join(map(str, given))
    return given if isinstance(given, str) else None


def _members(raw: Any) -> Iterator[tuple[str, Any]]:
    """Yield the members that are not empty, including those one level below."""
    if not isinstance(raw, Mapping):
        return
    for name, value in raw.items():
        if not _is_empty(value):
            yield _plain(name), value
        for below in value if isinstance(value, list) else (value,):
            if isinstance(below, Mapping):
                yield from ((_plain(key), one) for key, one in below.items() if not _is_empty(one))


def _count(raw: Mapping[str, Any]) -> int:
    return sum(not _is_empty(value) for value in raw.values())


def _plain(name: Any) -> str:
    return str(name).lower().replace("_", "").replace("-", "")


def _is_empty(value: Any) -> bool:
    return value is None or value in ("", [], {})


def _is_local(text: str) -> bool:
    return text.lower().startswith("file:") or "://" not in text
