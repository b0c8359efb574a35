"""Finds home directories in every way that systems, shells, URLs and agents spell them."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from sidecar.history.export.redaction.view import COLOR, HIDDEN, viewed

HOME: Final = "homeDirectory"

_SLASHES: Final = re.compile(
    rf"(?P<end>\\{{1,16}}[nrt](?=[\\/~\"'(]|%2[fF]|[A-Za-z](?::|%3[aA])(?:\\|/|%)|file:|vscode-|-(?:home|Users|mnt)-)|{COLOR})"
    rf"|(?P<hidden>{HIDDEN})"
    r"|(?P<colon>%(?:25){0,2}3[aA]|\\{1,16}u003[aA])"
    r"|(?P<at>%(?:25){0,2}40)"
    r"|(?P<blank>%(?:25){0,2}20)"
    r"|(?P<slash>%(?:25){0,2}(?:2[fF]|5[cC])|\\{1,16}u00(?:2[fF]|5[cC])|\\{1,16}/|\\+)"
)
"""What to read as a slash, and what ends a word in front of a path."""
_MEANT: Final = {"end": "\n", "hidden": "", "colon": ":", "at": "@", "blank": " ", "slash": "/"}

_NAME: Final = (
    r"(?!(?:Shared|Public|Default|All Users|Default User)\b)"
    r"(?P<{0}>[^\s/\"'<>|:*?,;()\[\]{{}}$%`#&=@!~]{{1,64}}+"
    # A name of several words goes on with capitals, perhaps after a "van", and ends at a slash.
    r"(?:(?:(?:[ ][a-z]{{1,3}})?[ ][^\W\d_a-z][\w.-]{{0,40}}+){{1,3}}+(?=/))?+)"
)
_LEFT: Final = r"(?:(?<![\w.~}})])|(?<=\s-[A-Za-z])|(?<=^-[A-Za-z]))"
_PARENTS: Final = r"(?:/(?:var|usr|export|data|nfs|net|mnt|srv|opt|System/Volumes/Data|Volumes/[^/\n]{1,40}|private/var|vol[0-9]?))"
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
    r"(?<![\w-])-(?:(?:mnt|cygdrive)-[a-z]-Users|var-home|home|Users|[a-z]-Users)-(?P<unix>[A-Za-z0-9_.]{1,40}+)"
    r"|(?<![A-Za-z0-9])[A-Za-z]-{1,2}Users-(?P<windows>[A-Za-z0-9_.]{1,40}+)"
)
"""Folders that agents name after a project's path, with hyphens for what a file name cannot hold."""
_OWNERS: Final = re.compile(
    r"[-dlbcps][-rwxsStTl]{9}[.+@]?[ \t]{1,8}[0-9]{1,9}[ \t]{1,8}(?P<owner>[\w.-]{1,40}+)[ \t]{1,12}(?P<group>[\w.-]{1,40}+)[ \t]{1,16}[0-9]"
)
_PROMPTS: Final = re.compile(
    r"(?<![\w.+/:@-])(?P<prompt>[A-Za-z_][\w.-]{0,31}+)@[\w-]{1,63}(?=(?::| )(?:~|/)[^\s]{0,200}[ ]?[$#%>](?:\s|$)|:~|:/home/|:/Users/)"
    r"|\[(?P<bracket>[A-Za-z_][\w.-]{0,31}+)@[\w.-]{1,63} [^\]\n]{1,100}\][$#%]"
)


class Found(NamedTuple):
    """A place in a text and the account it names, empty for the administrator's home."""

    start: int
    end: int
    name: str


def homes(text: str) -> Iterator[Found]:
    """Yield home directories, with the name of their owner."""
    view = viewed(text, _SLASHES, lambda match: _MEANT[match.lastgroup or ""])
    for pattern in (_PATHS, _SLUGS):
        for match in pattern.finditer(view.text):
            group = match.lastgroup or ""
            start, end = match.span()
            name = match[group].rstrip(".")
            end -= len(match[group]) - len(name)
            if name:
                yield Found(*view.origin(start, end), "" if group == "root" else name)


def accounts(text: str) -> Iterator[Found]:
    """Yield the names of accounts in prompts and in the columns of `ls -l`."""
    for pattern in (_OWNERS, _PROMPTS):
        for match in pattern.finditer(text):
            for group, name in match.groupdict().items():
                if name:
                    yield Found(*match.span(group), name)
