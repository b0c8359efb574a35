"""Find the files that a call reaches, through its arguments, its paths, and links on the disk."""

import fnmatch
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from sidecar.subagents.paths.real_path import real_path
from sidecar.subagents.permissions import paths, places
from sidecar.subagents.permissions.question import Question

MAX_DIRECTORIES = 5
"""The most directories in which relative paths of a call may start."""
MAX_PATTERNS = 20
"""The most patterns in one call."""
MAX_ENTRIES = 2_000
"""The most folder entries that are read to find links that a pattern may match."""

_WILD = re.compile(r"[*?\[{]")
_WILD_OR_ESCAPED = re.compile(r"[*?\[{(\\]")
_ESCAPE = re.compile(r"\\.")
_ALTERNATIVES = re.compile(r"[!@?*+]?\([^()]*\)|\{[^{}]*\}|\[[^\]]*\]")
_CLIMBS = re.compile(r"(?:^|[/{},(|)]) *\.\. *(?=$|[/{},(|)])|(?:^|[/{,(|])\.(?=\{)|[{,]\.(?=[,}])")
_BEGINS_ELSEWHERE = re.compile(r"[{(|,] *[/~]|^[A-Za-z][A-Za-z0-9+.-]*:[/\\]|^file:|^[!#]")


class Reached(NamedTuple):
    """A real path, or everything below it that matches a pattern."""

    path: str
    pattern: tuple[str, ...] = ()


def reached(question: Question, workspace: Path) -> list[Reached] | None:
    """Return everything that a call reaches; None if that is ambiguous. Blocking.

    Relative paths start in the workspace and in every directory that the call names. Patterns start in the
    folders that the call searches, and also in the workspace if it has the first folder of the pattern.
    """
    root, named = real_path(workspace), places.named(question.arguments or {})
    if (
        not question.is_exact
        or root is None
        or named is None
        or any(place.role == "address" for place in named)
    ):
        return None
    found = _Finder()
    directories = found.follow((each.text for each in named if each.role == "directory"), [root])
    others = [each for each in dict.fromkeys(directories) if each != root]
    if len(others) > MAX_DIRECTORIES:
        return None
    bases = [root, *others]
    files = [*question.paths, *(each.text for each in named if each.role in ("file", "folder"))]
    found.add(Reached(each) for each in others)
    found.add(Reached(each) for each in found.follow(files, bases))
    found.patterns((each for each in files if _WILD.search(each)), bases, _WILD)
    folders = found.follow((each.text for each in named if each.role == "folder"), bases)
    for pattern in [each.text for each in named if each.role == "pattern"]:
        begins = [*folders, *(bases if not folders or _may_begin_in(root, pattern) else ())]
        found.patterns([pattern], begins, _WILD_OR_ESCAPED)
    return None if found.is_in_doubt else list(found.reached)


def inside(question: Question, workspace: Path) -> tuple[str, ...] | None:
    """Return what a call reaches relative to the workspace; None if something is outside. Blocking."""
    root, found = real_path(workspace), reached(question, workspace)
    if root is None or not found:
        return None
    return paths.relative(["/".join((each.path, *each.pattern)) for each in found], root)


class _Finder:
    """Collect reached paths until something is ambiguous."""

    def __init__(self) -> None:
        self.reached: dict[Reached, None] = {}
        self.is_in_doubt = False
        self._patterns = 0

    def add(self, found: Iterable[Reached]) -> None:
        self.reached.update(dict.fromkeys(found))

    def follow(self, named: Iterable[str], bases: Sequence[str]) -> list[str]:
        """Return the real paths from each base."""
        listed = list(dict.fromkeys(named))
        if len(listed) > paths.MAX_PATHS:
            self.is_in_doubt = True
        if self.is_in_doubt:
            return []
        real = [paths.follow(path, base) for path in listed for base in bases]
        self.is_in_doubt = None in real
        return [path for path in real if path is not None]

    def patterns(self, named: Iterable[str], bases: Sequence[str], wild: "re.Pattern[str]") -> None:
        """Add the paths that patterns reach from each base."""
        for pattern in named:
            self._patterns += 1
            self.is_in_doubt |= self._patterns > MAX_PATTERNS
            for base in () if self.is_in_doubt else bases:
                found = _of_pattern(pattern, base, wild)
                self.add(found or ())
                self.is_in_doubt |= found is None


def _of_pattern(pattern: str, base: str, wild: "re.Pattern[str]") -> list[Reached] | None:
    if not _is_certain(pattern):
        return None
    parts = pattern.split("/")
    first = next((at for at, part in enumerate(parts) if wild.search(part)), len(parts))
    rest = [part for part in parts[first:] if part not in ("", ".")]
    start = paths.follow("/".join(parts[:first]) or ("/" if pattern[:1] == "/" else "."), base)
    if start is None or ".." in rest or any(map(_is_open, rest[:-1])):
        return None
    links = _links(start, rest)
    return None if links is None else [Reached(start, tuple(rest)), *links]


def _is_certain(pattern: str) -> bool:
    """Return whether a pattern, or a regular expression like one, stays below where it seems to start."""
    if not paths.is_certain(pattern) or _BEGINS_ELSEWHERE.search(pattern):
        return False
    unescaped = pattern.replace("\\", "")
    if unescaped[:1] in ("/", "~") and pattern[:1] == "\\":
        return False
    return not any(map(_CLIMBS.search, (pattern, unescaped, pattern.replace("\\", "/"))))


def _may_begin_in(root: str, pattern: str) -> bool:
    first, slash, _ = pattern.partition("/")
    return bool(slash) and os.path.lexists(os.path.join(root, first))  # noqa: PTH118


def _is_open(part: str) -> bool:
    """Return whether braces or parentheses of a part close in a later part."""
    bare = _ESCAPE.sub("", part)
    return bare.count("{") != bare.count("}") or bare.count("(") != bare.count(")")


def _links(start: str, pattern: Sequence[str]) -> list[Reached] | None:
    """Return the targets of links that a pattern may match; None if its folders are too large.

    Agents do not follow links after a `**`.
    """
    found: list[Reached] = []
    folders, seen = [start], 0
    for at, part in enumerate(pattern):
        if "**" in part:
            break
        below, wider = [], _wider(part).casefold()
        for entry in _entries(folders):
            seen += 1
            if seen > MAX_ENTRIES:
                return None
            if fnmatch.fnmatchcase(entry.name.casefold(), wider):
                if not entry.is_symlink():
                    below.append(entry.path)
                elif (real := real_path(entry.path)) is not None:
                    found.append(Reached(real, tuple(pattern[at + 1 :])))
        folders = below
    return found


def _entries(folders: Iterable[str]) -> Iterator["os.DirEntry[str]"]:
    for folder in folders:
        try:
            with os.scandir(folder) as entries:
                yield from entries
        except OSError:  # a file or an unreadable folder
            continue


def _wider(part: str) -> str:
    """Return a pattern with `*` in place of all alternatives."""
    bare = _ESCAPE.sub(lambda found: found[0][1], part)
    while (wider := _ALTERNATIVES.sub("*", bare)) != bare:
        bare = wider
    return bare
