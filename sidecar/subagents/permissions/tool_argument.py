"""Arguments in parentheses after a tool, in the syntax of Claude Code: `Bash(git log:*)`, `Edit(src/**)`.

Calls are matched by what the agent reports. An ambiguous call does not match: a user who limits a tool wants
everything else denied.
"""

import os
import re
from collections.abc import Sequence
from pathlib import Path

from sidecar.subagents.paths import pattern as path_pattern
from sidecar.subagents.paths.real_path import real_path
from sidecar.subagents.permissions import command_line, paths, places, reached_files
from sidecar.subagents.permissions.question import Question

MAX_CHARS = 4_096
_DOMAIN = "domain:"
_FILES = ("read", "search", "edit", "delete", "move")
_GLOB = re.compile(r"[*?\[]")


def problem(kind: str, argument: str) -> str | None:
    """Return why an argument of a tool of this kind is invalid; None if it is valid."""
    if len(argument) > MAX_CHARS:
        return f"its parentheses contain more than {MAX_CHARS:,} characters"
    if kind == "execute":
        return None
    if kind == "fetch":
        host = argument.removeprefix(_DOMAIN)
        known = argument.startswith(_DOMAIN) and host and "*" not in host.removeprefix("*.")
        return None if known else "a tool that fetches can be limited only to domain:HOST or domain:*.HOST"
    if kind in _FILES:
        return _problem_of_path(argument)
    return "only tools that run commands, fetch, or read and change files can be limited with parentheses"


def allows(arguments: Sequence[str], kind: str, question: Question, workspace: Path) -> bool:
    """Return whether arguments of a tool of this kind allow a call.

    Each command of a line, and each file of a call, must match one of the arguments.
    """
    sound = [argument for argument in arguments if problem(kind, argument) is None]
    if kind == "execute":
        is_known = question.is_line and question.command is not None and _is_here(question, workspace)
        return is_known and _allows_command(sound, question.command or "")
    if kind == "fetch":
        address = None if question.url is None else places.address(question.url, question.arguments or {})
        return address is not None and any(_is_at(argument, address.host) for argument in sound)
    return _allows_paths(sound, question, workspace)


def _problem_of_path(argument: str) -> str | None:
    if argument.startswith("!"):
        return "exceptions, which begin with !, are not supported"
    if argument.count("/") >= path_pattern.MAX_PARTS:
        return f"a path of more than {path_pattern.MAX_PARTS} parts is not supported"
    return None if paths.is_possible(argument) else "it contains a character that paths cannot have"


def _is_here(question: Question, workspace: Path) -> bool:
    """Return whether a command runs in the workspace. The same words may run another program elsewhere."""
    found = list(places.directories(question.arguments or {}))
    named = [place for place in found if isinstance(place, str)]
    return not found or (len(named) == len(found) and paths.inside(named, workspace) is not None)


def _allows_command(arguments: Sequence[str], line: str) -> bool:
    if line.strip() in arguments:
        return True
    commands = set(command_line.commands(line))
    return bool(commands) and all(
        any(command_line.fits(command, argument) for argument in arguments) for command in commands
    )


def _allows_paths(arguments: Sequence[str], question: Question, workspace: Path) -> bool:
    root = real_path(workspace)
    reached = reached_files.reached(question, workspace)
    if root is None or not reached:
        return False
    found = [_pattern(argument, root) for argument in arguments]
    patterns = [pattern for pattern in found if pattern is not None]
    return all(
        any(path_pattern.covers(Path(path).parts, wild, pattern) for pattern in patterns)
        for path, wild in reached
    )


def _is_at(argument: str, host: str) -> bool:
    wanted = argument.removeprefix(_DOMAIN).lower()
    return host.endswith(wanted[1:]) if wanted.startswith("*.") else host == wanted


def _pattern(argument: str, root: str) -> tuple[str, ...] | None:
    """Return the parts of a pattern from the root of the file system; None if its links cannot be resolved.

    `//x` starts at the root, `~/x` in the user's home, and everything else in the workspace, where a single
    name matches at any depth. Links in the workspace are not resolved, because the files of a workspace must
    not widen a rule.
    """
    if argument.startswith("//"):
        base, rest = Path(root).anchor, argument[2:]
    elif argument.startswith("~/"):
        base, rest = os.path.expanduser("~"), argument[2:]  # noqa: PTH111 # unlike Path.home() it never raises
    else:
        base, rest = root, argument.removeprefix("./").lstrip("/")
    parts = [part for part in rest.split("/") if part not in ("", ".")]
    if base == root and "/" not in argument.removeprefix("./").rstrip("/"):
        parts = ["**", *parts]
    plain = next((at for at, part in enumerate(parts) if _GLOB.search(part)), len(parts))
    if ".." in parts[plain:]:
        return None
    meant = os.path.normpath(os.path.join(base, *parts[:plain]))  # noqa: PTH118 (a Path keeps "..")
    is_inside = Path(meant).is_relative_to(root)
    start = meant if is_inside else real_path(meant)
    if start is None or Path(start).is_relative_to(root) is not is_inside:
        return None
    return (*map(_literal, Path(start).parts), *parts[plain:])


def _literal(name: str) -> str:
    return _GLOB.sub(lambda found: f"[{found[0]}]", name)
