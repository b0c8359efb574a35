"""Finds names of accounts that the text around them gives away: prompts, listings, settings, commands."""

import re
from collections.abc import Iterator
from typing import Final

from sidecar.history.export.redaction.accounts.homes import Found
from sidecar.history.export.redaction.accounts.names import is_word, names_nobody

_NAME: Final = r"[A-Za-z_][\w.-]{1,40}+"
_LINE: Final = r"(?m:^)[ \t]{0,6}[0-9]{0,6}[ \t]{0,3}[|\u2502\u2192+>-]?[ \t]{0,3}"
"""The beginning of a line, perhaps behind a frame, a line number or the mark of a diff."""
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
_SETTING: Final = r"(?:SUDO_USER|LOGNAME|USERNAME|USER)"
_SHOWN: Final = tuple(
    (tuple(marks.split()), re.compile(pattern))
    for marks, pattern in (
        ("USER LOGNAME", rf"(?<![A-Za-z0-9_]){_SETTING}=[\"']?(?P<set>{_NAME})(?=[\"'\s;&|)]|$)"),
        (
            "USER LOGNAME",
            rf"(?<![A-Za-z0-9_]){_SETTING}[\"']?[ ]?[:=][ ]?[\"']?(?P<assigned>{_NAME})(?=[\"'\s;,)]|$)",
        ),
        ("id= groups=", rf"(?<![a-z0-9_])(?:[ug]id|groups)=[0-9]{{1,10}}\((?P<id>{_NAME})\)"),
        (":x: :*: :!: ::", rf"{_LINE}(?P<passwd>{_NAME}):[x*!]?:[0-9]{{4,10}}:[0-9]{{1,10}}:"),
        ("pts/ tty", rf"{_LINE}(?P<terminal>{_NAME})[ \t]{{1,20}}(?:pts/[0-9]|tty[0-9s])"),
        (
            "0.0",
            rf"{_LINE}(?P<process>{_NAME})[ \t]{{1,12}}[0-9]{{2,9}}"
            r"(?:[ \t]{1,6}[0-9]{1,3}\.[0-9]){2}[ \t]{1,12}[0-9]",
        ),
        (
            "whoami",
            r"whoami[ \t]{0,80}(?:[|\u2502][ \t]{0,4})?(?:\r?\n){1,2}[ \t+|\u2502]{0,6}"
            rf"(?P<whoami>{_NAME})(?=[ \t|\u2502]{{0,80}}(?:[\r\n]|$))",
        ),
        ("/var/", rf"/var/(?:spool/)?(?:mail|cron/crontabs|cron)/(?P<spool>{_NAME})"),
        ("/var/", rf"/var/lib/AccountsService/users/(?P<account>{_NAME})"),
        ("tmp/", rf"(?<=/tmp)/(?:claude|codex|gemini|emacs|runtime|pip|npm|yarn)-(?P<temporary>{_NAME})"),
        (
            "/home /Users :\\Users :/Users",
            r"[\"'`](?:/home|/Users|[A-Za-z]:[\\/]{1,4}Users)[\\/]{0,4}[\"'`]"
            r"[ ]?[,+.&][ ]?[bfru]?[\"'`][\\/]{0,4}"
            rf"(?P<joined>{_NAME})(?=[\"'`\\/])",
        ),
        ("://", rf"(?:ssh|sftp|sshfs|scp|smb|afp|rsync)://(?P<remote>{_NAME})(?::[^@/\s]{{1,60}})?@"),
    )
)
"""What shows the name of an account and nothing else, and what a text must hold for it.

`assigned`, `process`, `temporary` and `joined` may be words of a program.
"""
_MODES: Final = ("rw-", "r--", "rwx", "---")
_MARKS: Final = ("@", *_MODES, *{mark for marks, _ in _SHOWN for mark in marks})


def people(text: str) -> list[Found]:
    """Find the names of accounts; those that are nobody's are left out."""
    for mark in _MARKS:
        if mark in text:
            return [found for found in _accounts(text) if not names_nobody(found.name)]
    return []


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
            name = match[group].rstrip(".")
            if not (group in ("assigned", "process", "temporary", "joined") and is_word(name)):
                yield Found(match.start(group), match.start(group) + len(name), name)
