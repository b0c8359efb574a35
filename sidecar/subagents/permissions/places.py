"""Find the files, folders, patterns and addresses in the arguments of a call; pure functions.

Agents use different names for the same argument, so names are split into words.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple
from urllib.parse import unquote, urlsplit

from sidecar.subagents.permissions import web_address
from sidecar.subagents.permissions.web_address import WebAddress

Role = Literal["file", "folder", "directory", "pattern", "address", "text"]
"""The role of a value. A search starts in a `folder`, relative paths start in a `directory`."""

MAX_VALUES = 10_000
"""The most values in one call; a call with more is ambiguous."""
MAX_DEPTH = 12
"""The most levels of nested values; a call with more is ambiguous."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_DIRECTORIES = frozenset({"cwd", "workdir", "workingdirectory", "workingdir", "currentdirectory", "chdir"})
_FOLDERS = frozenset({"path", "dir", "dirpath", "directory", "directorypath", "folder", "folderpath"})
_RUN_IN = _DIRECTORIES | {"directory", "dirpath", "dir", "folder", "root"}
_FILE_WORDS = _words(
    "path paths file files filename filenames filepath filepaths folder folders dir dirs dirpath directory "
    "directories root roots location locations source src destination dest dst target from to uri uris "
    "outfile notebook absolutepath relativepath"
)
_PATTERN_WORDS = _words("pattern patterns glob globs include includes")
_ADDRESS_WORDS = _words("url urls uri uris")
_TEXTS = _words(
    "content contents text body html markdown description explanation reason justification instruction "
    "instructions message title thought plan prompt query regex replacement replace find search "
    "newstring oldstring newstr oldstr newtext oldtext newcontent oldcontent newsource oldsource filetext "
    "codeedit inserttext exclude excludes ignore"
)
"""Names of free text, and of patterns that only exclude files. Their values do not reach a file."""
_FETCHED = _ADDRESS_WORDS | _words(
    "prompt query question description explanation reason justification instruction instructions title "
    "format outputformat timeout timeoutms timeoutseconds maxlength maxchars maxcharacters maxbytes "
    "maxtokens offset limit startindex page raw"
)
"""Arguments of a fetch that do not change where it goes and what it sends."""
_BY_PATH = frozenset({"changes", "files", "paths"})
"""Members that may be a mapping from paths."""
_BELOW_FILE = frozenset({"name", "value"})
"""Members that contain the path in a mapping for one file."""

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_PLACE = re.compile(
    r"\s*(?:[/\\~]|[A-Za-z]:[/\\]|file:|\$\{|\$[A-Z]|%[A-Z])|.*(?:^|[/\\]) *\.{2,}(?:[^\w.]|$)", re.S
)
_SCHEME = re.compile(r"\s*(?!file:)[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_PATCHED = re.compile(
    r"^(?:\*\*\* (?:Add|Update|Delete) File: |\*\*\* Move to: |(?:rename|copy) (?:from|to) |Index: )(.+)$"
    r"|^--- (?P<old>[^\t\n]+).*\n\+\+\+ (?P<new>[^\t\n]+)",
    re.MULTILINE,
)


class Place(NamedTuple):
    """A value of a call and its role."""

    role: Role
    text: str


def named(arguments: Any) -> list[Place] | None:
    """Return the values in the arguments of a call; None if there are too many or too deep ones."""
    found: list[Place] = []
    left: list[tuple[tuple[str, ...], Any, bool]] = [((), arguments, False)]
    for _ in range(MAX_VALUES):
        if not left:
            return found
        names, value, is_listed = left.pop()
        if isinstance(value, str):
            found.extend(_places(names, value) if value else ())
        elif isinstance(value, Mapping | list | tuple):
            if len(names) >= MAX_DEPTH:
                return None
            if isinstance(value, Mapping):
                found.extend(_keys(names, value, is_listed))
                left.extend(((*names, str(key)), below, False) for key, below in value.items())
            else:  # a list counts as a level too
                left.extend(((*names, names[-1] if names else ""), below, True) for below in value)
    return None


def files(arguments: Any) -> Iterator[str]:
    """Yield the files and folders that a call names; none beyond the limits of `named`."""
    for place in named(arguments) or ():
        if place.role in ("file", "folder"):
            yield place.text


def address(url: str, arguments: Any) -> WebAddress | None:
    """Return the server of a call; None if it is ambiguous or an argument may lead elsewhere.

    Only arguments that cannot change the request may accompany the address. A proxy, a header, a file or an
    unknown argument can.
    """
    found, places = web_address.parse(url), named(arguments)
    if found is None or places is None or any(place.role not in ("address", "text") for place in places):
        return None
    if not is_plain_fetch(arguments):
        return None
    others = [web_address.parse(each) for place in places for each in web_address.mentioned(place.text)]
    return found if all(other is not None and other.host == found.host for other in others) else None


def is_plain_fetch(arguments: Any) -> bool:
    """Return whether only the address decides where a fetch goes and what it sends."""
    given = arguments.items() if isinstance(arguments, Mapping) else ()
    return all(_joined(name) in _FETCHED for name, value in given if value)


def members_with_directories(arguments: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names of the arguments that are directories in which a command may run."""
    for name, value in arguments.items():
        if value and _joined(name) in _RUN_IN:
            yield name


def directories(arguments: Mapping[str, Any]) -> Iterator[Any]:
    """Yield every directory in which a command may run, as the agent sent it."""
    for name in members_with_directories(arguments):
        yield arguments[name]


def local(uri: str) -> str:
    """Return the path of a `file:` URI on this machine; return other text unchanged."""
    if not uri.lower().startswith("file:"):
        return uri
    try:
        parts = urlsplit(uri)
    except ValueError:
        return uri
    is_here = parts.netloc.lower() in ("", "localhost") and parts.path.startswith("/")
    return unquote(parts.path) if is_here and not (parts.query or parts.fragment) else uri


def _places(names: tuple[str, ...], value: str) -> Iterator[Place]:
    name = names[-1] if names else ""
    if _joined(name) in _TEXTS:
        yield Place("text", value)
        return
    changed = [Place("file", path) for path in _patched(value)]
    yield from changed
    role = _role(names, value)
    if changed and _own_role(name) is None:
        role = None
    yield Place("text", value) if role is None else Place(role, local(value))


def _role(names: tuple[str, ...], value: str) -> Role | None:
    """Return the role of a value; None for plain text."""
    if _SCHEME.match(value):
        return "address"
    own = _own_role(names[-1]) if names else None
    if own is None and len(names) > 1 and _joined(names[-1]) in _BELOW_FILE:
        own = next((role for name in reversed(names[:-1]) if (role := _own_role(name))), None)
    return "file" if own is None and _PLACE.match(value) else own


def _own_role(name: str) -> Role | None:
    joined = _joined(name)
    if joined in _DIRECTORIES:
        return "directory"
    if joined in _FOLDERS:
        return "folder"
    last = [word.lower() for word in _WORDS.findall(name)][-1:]
    if {joined, *last} & _PATTERN_WORDS:
        return "pattern"
    return "file" if {joined, *last} & (_FILE_WORDS | _ADDRESS_WORDS) else None


def _keys(names: tuple[str, ...], value: Mapping[Any, Any], is_listed: bool) -> Iterator[Place]:
    """Yield the names of members that are paths.

    The entries of a list describe one file each. Their members are paths only if they have that form.
    """
    is_by_path = bool(names) and _joined(names[-1]) in _BY_PATH
    for key in map(str, value):
        if _PLACE.match(key) or (is_by_path and not (is_listed and key.isidentifier())):
            yield Place("file", local(key))


def _patched(text: str) -> Iterator[str]:
    """Yield the files that a patch changes."""
    for found in _PATCHED.finditer(text):
        for path in (found[1], found["old"], found["new"]):
            if path is not None and path.strip() != "/dev/null":
                yield re.sub(r"^[ab]/", "", path.strip())


def _joined(name: Any) -> str:
    return re.sub(r"[_\s-]", "", str(name)).lower()
