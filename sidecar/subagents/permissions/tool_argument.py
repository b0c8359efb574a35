"""What stands in parentheses behind a tool, as Claude Code writes it: `Bash(git log:*)`, `Edit(src/**)`.

A call fits by what its agent tells of it. In doubt it does not: whoever limits a tool wants the rest refused.
"""

import os
import re
import shlex
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from sidecar.subagents.path_pattern import fits
from sidecar.subagents.permissions.question import Question

_DOMAIN = "domain:"
_OPERATORS = ";|&\n"
_HARMLESS = re.compile(r"[ \t]+[12]?>(?:&[12]|[ \t]*/dev/null)(?=[\s;&|]|$)")
_OPAQUE = re.compile(r"[`<>()]|\$[('\"]|(?:^|[\s;&|])#")
"""Where a shell runs, writes or passes over what a look at the words does not show."""
_GLOB = re.compile(r"[*?\[]")


def fault(kind: str, argument: str) -> str | None:
    """Return why an argument of a tool of this kind is not understood; None if it is."""
    if kind == "execute":
        return None
    if kind == "fetch":
        host = argument.removeprefix(_DOMAIN)
        known = argument.startswith(_DOMAIN) and host and "*" not in host.removeprefix("*.")
        return None if known else "of a tool that fetches only domain:HOST or domain:*.HOST is understood"
    if kind in ("read", "search", "edit", "delete", "move"):
        return "exceptions, which begin with !, are not understood" if argument.startswith("!") else None
    return "only tools that run commands, fetch, or read and change files are limited so"


def allows(arguments: Sequence[str], kind: str, question: Question, workspace: Path) -> bool:
    """Tell whether a call is one of those the arguments name, together, for a tool of this kind.

    Each command of a line, and each file of a call, has to fit one of them.
    """
    sound = [argument for argument in arguments if fault(kind, argument) is None]
    if kind == "execute":
        return question.command is not None and _allows_command(sound, question.command)
    if kind == "fetch":
        return question.url is not None and _any(_is_at, sound, _host(question.url))
    root = Path(os.path.realpath(workspace))
    patterns = [_pattern(argument, root) for argument in sound]
    paths = [Path(os.path.realpath(root / path)).parts for path in question.paths]
    return bool(paths) and all(any(_lies_in(path, pattern) for pattern in patterns) for path in paths)


def _any(fit: Callable[[str, str], bool], arguments: Iterable[str], value: str) -> bool:
    return any(fit(argument, value) for argument in arguments)


def _allows_command(arguments: Sequence[str], line: str) -> bool:
    if line.strip() in arguments:
        return True
    commands = _commands(line)
    return bool(commands) and all(_any(_is_command, arguments, command) for command in commands)


def _commands(line: str) -> list[str]:
    """Return the commands of a line, quotes taken off; none if it may do more than they show."""
    bare = _HARMLESS.sub(" ", line.strip())
    if _OPAQUE.search(bare):
        return []
    lexer = shlex.shlex(bare, posix=True, punctuation_chars=_OPERATORS)
    lexer.whitespace, lexer.commenters, lexer.whitespace_split = " \t\r", "", True
    commands: list[list[str]] = [[]]
    try:
        for word in lexer:
            if word and not word.strip(_OPERATORS):
                commands.append([])
            else:
                commands[-1].append(word)
    except ValueError:  # a quote that nothing closes
        return []
    given = [words for words in commands if words]
    # A name with a blank in it is not the program that a pattern means by the same letters.
    return [] if any(len(words[0].split()) != 1 for words in given) else [" ".join(words) for words in given]


def _is_command(argument: str, command: str) -> bool:
    """`git:*` and `git *` are `git` with any arguments or none, `git*` whatever begins so."""
    pattern = f"{argument[:-2]} *" if argument.endswith(":*") else argument
    optional = pattern.endswith(" *")
    parts = map(re.escape, (pattern[:-2] if optional else pattern).split("*"))
    return re.fullmatch(".*".join(parts) + ("(?: .*)?" if optional else ""), command, re.DOTALL) is not None


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _is_at(argument: str, host: str) -> bool:
    wanted = argument.removeprefix(_DOMAIN).lower()
    return host.endswith(wanted[1:]) if wanted.startswith("*.") else host == wanted


def _pattern(argument: str, root: Path) -> tuple[str, ...]:
    """Return a pattern's parts from the root of the file system.

    `//x` begins there, `~/x` at the user's home, all else in the workspace; a name alone lies anywhere in it.
    """
    if argument.startswith("//"):
        base, rest = Path(root.anchor), argument[2:]
    elif argument.startswith("~/"):
        base, rest = Path(os.path.expanduser("~")), argument[2:]  # noqa: PTH111 # unlike Path.home() it never raises
    else:
        base, rest = root, argument.removeprefix("./")
    parts = [part for part in rest.split("/") if part not in ("", ".")]
    if base == root and "/" not in rest.rstrip("/"):
        parts = ["**", *parts]
    plain = next((at for at, part in enumerate(parts) if _GLOB.search(part)), len(parts))
    start = os.path.realpath(base.joinpath(*parts[:plain]))  # a call's paths have their links followed too
    return (*map(_literal, Path(start).parts), *parts[plain:])


def _literal(name: str) -> str:
    return _GLOB.sub(lambda found: f"[{found[0]}]", name)


def _lies_in(path: tuple[str, ...], pattern: tuple[str, ...]) -> bool:
    """Tell whether a file fits a pattern, or a folder does that it lies in."""
    return any(fits(path[:end], pattern) for end in range(len(path), 0, -1))
