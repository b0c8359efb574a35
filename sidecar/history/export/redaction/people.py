"""Finds names of accounts that the text around them gives away: prompts, listings, settings, commands."""

import re
from collections.abc import Iterator
from typing import Final

from sidecar.history.export.redaction.homes import Found
from sidecar.history.export.redaction.names import is_word, names_nobody

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
_SHOWN: Final = re.compile(
    rf"(?<![A-Za-z0-9_])(?:SUDO_USER|LOGNAME|USERNAME|USER)=[\"']?(?P<set>{_NAME})(?=[\"'\s;&|)]|$)"
    rf"|(?<![a-z0-9_])(?:[ug]id|groups)=[0-9]{{1,10}}\((?P<id>{_NAME})\)"
    rf"|{_LINE}(?P<passwd>{_NAME}):[x*!]?:[0-9]{{4,10}}:[0-9]{{1,10}}:"
    rf"|{_LINE}(?P<terminal>{_NAME})[ \t]{{1,20}}(?:pts/[0-9]|tty[0-9s])"
    rf"|{_LINE}(?P<process>{_NAME})[ \t]{{1,12}}[0-9]{{2,9}}"
    r"(?:[ \t]{1,6}[0-9]{1,3}\.[0-9]){2}[ \t]{1,12}[0-9]"
    r"|\bwhoami[ \t]{0,80}(?:[|\u2502][ \t]{0,4})?(?:\r?\n){1,2}"
    rf"[ \t+|\u2502]{{0,6}}(?P<whoami>{_NAME})"
    r"(?=[ \t|\u2502]{0,80}(?:[\r\n]|$))"
    rf"|/var/(?:spool/)?(?:mail|cron/crontabs|cron)/(?P<spool>{_NAME})"
    rf"|/tmp/(?:claude|codex|gemini|emacs|runtime|pip|npm|yarn)-(?P<temporary>{_NAME})"
    rf"|/var/lib/AccountsService/users/(?P<account>{_NAME})"
    rf"|(?:ssh|sftp|sshfs|scp|smb|afp|rsync)://(?P<remote>{_NAME})(?::[^@/\s]{{1,60}})?@"
    rf"|(?<![A-Za-z0-9_])(?:SUDO_USER|LOGNAME|USERNAME|USER)[\"']?[ ]?[:=][ ]?[\"']?(?P<assigned>{_NAME})"
    r"(?=[\"'\s;,)]|$)"
)
"""What shows the name of an account and nothing else; `assigned` may be a word of a program."""
_MARKS: Final = re.compile(
    r"[-r][-w][-xsS][-r]|@[\w.-]{1,63}[: ]|USER|LOGNAME|[ug]id=|:[0-9]{4}|pts/|tty|whoami|/var/|/tmp/"
    r"|s(?:h|ftp|shfs|cp|mb)://|afp://|rsync://|[0-9]\.[0-9][ \t]"
)


def people(text: str) -> Iterator[Found]:
    """Yield the names of accounts; those that are nobody's are left out."""
    if not _MARKS.search(text):
        return
    yield from (found for found in _accounts(text) if not names_nobody(found.name))


def _accounts(text: str) -> Iterator[Found]:
    for match in _OWNERS.finditer(text):
        yield Found(*match.span("owner"), match["owner"])
        yield Found(*match.span("group"), match["group"])
    for match in _PROMPT.finditer(text):
        if user := _USER.search(text, max(0, match.start() - 33), match.start()):
            yield Found(*user.span(), user[0])
    for match in _SHOWN.finditer(text):
        group = match.lastgroup or ""
        name = match[group].rstrip(".")
        if not (group in ("assigned", "process", "temporary") and is_word(name)):
            yield Found(match.start(group), match.start(group) + len(name), name)
