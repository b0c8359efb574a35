"""Find account names by the text around them: prompts, listings, settings, commands."""

import re
from collections.abc import Iterator
from typing import Final

from sidecar.history.export.redaction.accounts.homes import Found
from sidecar.history.export.redaction.accounts.names import is_shared, is_word

_NAME: Final = r"[A-Za-z_][\w.-]{1,40}+"
_OWNERS: Final = re.compile(
    r"[-dlbcps][-rwxsStTl]{9}[.+@]?[ \t]{1,8}[0-9]{1,9}[ \t]{1,8}(?P<owner>[\w.-]{1,40}+)"
    r"[ \t]{1,12}(?P<group>[\w.-]{1,40}+)[ \t]{1,16}[0-9]"
)
"""A line of `ls -l`."""
_PROMPT: Final = re.compile(
    r"@[\w.-]{1,63}(?:[: ](?:~|/)[^\s]{0,200}[ ]?[$#%>](?=\s|$)|:~|:/(?:home|Users)/| [^\]\n]{1,100}\][$#%])"
)
"""A shell's prompt, or the place that a copy over the network names, after the name of the user."""
_USER: Final = re.compile(r"(?m)(?:(?<![\w.+/:@-])|(?<=^[+-]))[A-Za-z_][\w.-]{0,31}+\Z")
_SETTING: Final = r"[SLU](?<![A-Za-z0-9_].)(?:(?<=S)UDO_USER|(?<=L)OGNAME|(?<=U)SER(?:NAME)?)"
_SHOWN: Final = tuple(
    (tuple(marks.split()), re.compile(pattern))
    for marks, pattern in (
        ("USER LOGNAME", rf"{_SETTING}=[\"']?(?P<set>{_NAME})(?=[\"'\s;&|)]|$)"),
        (
            "USER LOGNAME",
            rf"{_SETTING}[\"']?[ ]?[:=][ ]?[\"']?(?P<assigned>{_NAME})(?=[\"'\s;,)]|$)",
        ),
        (
            "id= groups=",
            rf"=(?:(?<=[ug]id=)(?<![a-z0-9_]...=)|(?<=groups=))[0-9]{{1,10}}\((?P<id>{_NAME})\)",
        ),
        (
            "whoami",
            r"whoami[ \t]{0,80}(?:[|\u2502][ \t]{0,4})?(?:\r?\n){1,2}[ \t+|\u2502]{0,6}"
            rf"(?P<whoami>{_NAME})(?=[ \t|\u2502]{{0,80}}(?:[\r\n]|$))",
        ),
        ("/var/", rf"/var/(?:spool/)?(?:mail|cron/crontabs|cron)/(?P<spool>{_NAME})"),
        ("/var/", rf"/var/lib/AccountsService/users/(?P<account>{_NAME})"),
        ("tmp/", rf"/(?<=/tmp/)(?:claude|codex|gemini|emacs|runtime|pip|npm|yarn)-(?P<temporary>{_NAME})"),
        (
            "/home Users",
            r"[\"'`](?:/home|/Users|[A-Za-z]:[\\/]{1,4}Users)[\\/]{0,4}[\"'`]"
            r"[ ]?[,+.&][ ]?[bfru]?[\"'`][\\/]{0,4}"
            rf"(?P<joined>{_NAME})(?=[\"'`\\/])",
        ),
        (
            "://",
            r"://(?:(?<=ssh...)|(?<=sftp...)|(?<=sshfs...)|(?<=scp...)|(?<=smb...)|(?<=afp...)|(?<=rsync...))"
            rf"(?P<remote>{_NAME})(?::[^@/\s]{{1,60}})?@",
        ),
    )
)
"""Text that always surrounds the name of an account, and marks without which a text cannot match.

Each pattern begins with the few characters it can start with, so that the engine skips most of a text.
"""
_ROWS: Final = tuple(
    (group, marks, re.compile(pattern))
    for group, marks, pattern in (
        ("passwd", (":x:", ":*:", ":!:", "::"), r":[x*!]?:[0-9]{4,10}:[0-9]{1,10}:"),
        ("terminal", ("pts/", "tty"), r"[ \t](?:pts/[0-9]|tty[0-9s])"),
        ("process", (" 0.0 ",), r"[ \t][0-9]{1,3}\.[0-9][ \t]{1,6}[0-9]{1,3}\.[0-9][ \t]{1,12}[0-9]"),
    )
)
"""Rows of accounts, terminals and processes: marks that a text must contain, and what follows a name."""
_FIRST: Final = re.compile(
    rf"[ \t]{{0,6}}[0-9]{{0,6}}[ \t]{{0,3}}[|\u2502\u2192+>-]?[ \t]{{0,3}}(?P<name>{_NAME})"
    r"[ \t]{0,20}(?P<number>[0-9]{0,9})[ \t]{0,6}"
)
"""The start of such a row: a frame, a line number or the mark of a diff, the name, and a process ID."""
_WIDEST: Final = 120
_WORDS: Final = frozenset({"assigned", "process", "temporary", "joined"})
"""Where a name may be a word of a program."""
_MODES: Final = ("rw-", "r--", "rwx", "r-x", "------")


def people(text: str) -> list[Found]:
    """Find the names of accounts, except shared ones."""
    return [found for found in _accounts(text) if not is_shared(found.name)]


def _accounts(text: str) -> Iterator[Found]:
    if any(mode in text for mode in _MODES):
        for match in _OWNERS.finditer(text):
            yield Found(*match.span("owner"), match["owner"])
            yield Found(*match.span("group"), match["group"])
    for match in _PROMPT.finditer(text) if "@" in text else ():
        if user := _USER.search(text, max(0, match.start() - 33), match.start()):
            yield Found(*user.span(), user[0])
    for marks, pattern in _SHOWN:
        for match in pattern.finditer(text) if any(mark in text for mark in marks) else ():
            group = match.lastgroup or ""
            yield from _account(group, match[group], match.start(group))
    for group, marks, pattern in _ROWS:
        for match in pattern.finditer(text) if any(mark in text for mark in marks) else ():
            start = max(text.rfind("\n", 0, match.start()) + 1, match.start() - _WIDEST)
            row = _FIRST.fullmatch(text, start, match.start())
            if row and bool(row["number"]) == (group == "process"):
                yield from _account(group, row["name"], row.start("name"))


def _account(group: str, name: str, start: int) -> Iterator[Found]:
    name = name.rstrip(".")
    if not (group in _WORDS and is_word(name)):
        yield Found(start, start + len(name), name)
