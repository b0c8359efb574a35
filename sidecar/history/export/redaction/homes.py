"""Finds home directories in every way that systems, shells, URLs and agents spell them."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from sidecar.history.export.redaction.view import COLOR, HIDDEN, viewed

HOME: Final = "homeDirectory"

_MARKS: Final = re.compile(r"[-/\\fc](?:home|users|docume|root)|~[a-z_]", re.IGNORECASE)
"""What every home directory holds, behind any spelling of a slash."""
_BEFORE: Final = 200
_BEHIND: Final = 300
"""How much around a mark is read, in characters."""
_SLASHES: Final = re.compile(
    rf"[\x1b\\%{HIDDEN}](?:(?P<end>(?<=\\)\\{{0,15}}[nrt](?=[\\/~\"'(]|%(?:25)*2[fF]"
    rf"|[A-Za-z](?::|%3[aA])[\\/%]|[A-Za-z]-{{1,2}}Users|file:|vscode-|-[A-Za-z]/|-(?:home|Users|mnt|var|cygdrive)-)|{COLOR})|(?P<hidden>(?<=[{HIDDEN}]))"
    r"|(?<=%)(?:25){0,2}+(?:(?P<colon>3[aA])|(?P<at>40)|(?P<blank>20)|(?P<percent>2[fF]|5[cC]))"
    r"|(?<=\\)(?P<slash>\\{0,15}u00(?:2[fF]|5[cC])|\\{0,15}/|\\*+))"
)
"""What to read as a slash, and what ends a word in front of a path."""
_MEANT: Final = {
    "end": "\n",
    "hidden": "",
    "colon": ":",
    "at": "@",
    "blank": " ",
    "percent": "/",
    "slash": "/",
}

_NAME: Final = (
    r"(?!(?:Shared|Public|Default|All Users|Default User)\b)"
    r"(?P<{0}>[^\s/\"'<>|:*?,;()\[\]{{}}$%`#&=@!~]{{1,64}}+"
    # A name of several words goes on with capitals, perhaps after a "van", and ends at a slash.
    r"(?:(?:(?:[ ][a-z]{{1,3}})?[ ][^\W\d_a-z][\w.-]{{0,40}}+){{1,3}}+(?=/))?+)"
)
_LEFT: Final = r"(?:(?<![\w.~}})])|(?<=[^A-Za-z0-9]-[A-Za-z])|(?<=^-[A-Za-z]))"
_PARENTS: Final = (
    r"(?:/(?:var|usr|export|data|nfs|net|mnt|srv|opt|private/var|vol[0-9]?"
    r"|System/Volumes/Data|Volumes/[^/\n]{1,40}))"
)
_PATHS: Final = re.compile(
    rf"{_LEFT}{_PARENTS}?/(?:home[0-9]?|Users|export/home)/{{1,2}}{_NAME.format('posix')}"
    rf"|(?<![A-Za-z0-9])(?:/{{1,3}}[?.]/)?(?:[A-Za-z]:|/{{1,2}}[\w.-]{{1,60}}/[A-Za-z]\$|/{{1,2}}[\w.-]{{1,60}}(?=/Users/))"
    rf"/{{1,2}}(?i:Users|Documents and Settings|DOCUME~1)/{{1,2}}{_NAME.format('drive')}"
    rf"|{_LEFT}(?:/(?:mnt|cygdrive|host_mnt|run/desktop/mnt/host|proc/cygdrive))?/[A-Za-z]/(?i:Users)/{_NAME.format('mount')}"
    rf"|/{{1,2}}wsl(?:\.localhost|\$)/[\w.-]{{1,40}}/home/{_NAME.format('wsl')}"
    rf"|vscode-(?:remote|vfs)://[^/\s\"']{{1,120}}/(?:home|Users|[A-Za-z]:/Users)/{_NAME.format('remote')}"
    rf"|(?<![\w)\]~.])~(?=[A-Za-z_])(?P<tilde>[A-Za-z_][\w.-]{{1,31}}+)(?=/)"
    r"|(?<![\w.~-])(?P<root>/root|/var/root)(?![\w.-])"
)
_SLUGS: Final = re.compile(
    r"(?m)(?:(?<![\w-])|(?<=^-))-(?:(?:mnt|cygdrive)-[a-z]-Users|var-home|home|Users|[a-z]-Users)-(?P<unix>[A-Za-z0-9_.]{1,40}+)"
    r"|(?<![A-Za-z0-9])[A-Za-z]-{1,2}Users-(?P<windows>[A-Za-z0-9_.]{1,40}+)"
)
"""Folders that agents name after a project's path, with hyphens for what a file name cannot hold."""
_OWNERS: Final = re.compile(
    r"[-dlbcps][-rwxsStTl]{9}[.+@]?[ \t]{1,8}[0-9]{1,9}[ \t]{1,8}(?P<owner>[\w.-]{1,40}+)"
    r"[ \t]{1,12}(?P<group>[\w.-]{1,40}+)[ \t]{1,16}[0-9]"
)
"""A line of `ls -l`."""
_PROMPT: Final = re.compile(
    r"@[\w.-]{1,63}(?:[: ](?:~|/)[^\s]{0,200}[ ]?[$#%>](?=\s|$)|:~|:/(?:home|Users)/| [^\]\n]{1,100}\][$#%])"
)
"""A shell's prompt, or the place that a copy over the network names, behind the name of the user."""
_USER: Final = re.compile(r"(?m)(?:(?<![\w.+/:@-])|(?<=^[+-]))[A-Za-z_][\w.-]{0,31}+\Z")


class Found(NamedTuple):
    """A place in a text and the account it names, empty for the administrator's home."""

    start: int
    end: int
    name: str


def homes(text: str) -> Iterator[Found]:
    """Yield home directories, with the name of their owner."""
    for start, end in _windows(text):
        view = viewed(text[start:end], _SLASHES, lambda match: _MEANT[match.lastgroup or ""])
        for found in _named(view.text):
            first, last = view.origin(found.start, found.end)
            yield Found(start + first, start + last, found.name)


def _windows(text: str) -> Iterator[tuple[int, int]]:
    """Yield the parts of a text that may hold home directories."""
    start = end = 0
    for mark in _MARKS.finditer(text):
        if mark.start() - _BEFORE > end:
            if end:
                yield start, end
            start = max(0, mark.start() - _BEFORE)
        end = mark.end() + _BEHIND
    if end:
        yield start, end


def _named(text: str) -> Iterator[Found]:
    for pattern in (_PATHS, _SLUGS):
        for match in pattern.finditer(text):
            group = match.lastgroup or ""
            name = match[group].rstrip(".")
            if name:
                end = match.end() - len(match[group]) + len(name)
                yield Found(match.start(), end, "" if group == "root" else name)


def accounts(text: str) -> Iterator[Found]:
    """Yield the names of accounts in prompts and in the columns of `ls -l`."""
    for match in _OWNERS.finditer(text):
        yield Found(*match.span("owner"), match["owner"])
        yield Found(*match.span("group"), match["group"])
    for match in _PROMPT.finditer(text):
        if user := _USER.search(text, max(0, match.start() - 33), match.start()):
            yield Found(*user.span(), user[0])
