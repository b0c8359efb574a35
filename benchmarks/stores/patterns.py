"""Definitions with patterns meant to block the loop, and the calls for which matching takes longest."""

import time
from pathlib import Path
from typing import Final

from sidecar.subagents.permissions.question import Question
from sidecar.subagents.permissions.tool_rule import ToolRule

_WORKSPACE: Final = Path("/workspace")
_DEEP: Final = "/".join(["a"] * 200)


def _command(line: str) -> Question:
    return Question(request_id="1", title="x", options=(), tool_kind="execute", command=line)


def _file(path: str) -> Question:
    return Question(request_id="1", title="x", options=(), tool_kind="read", paths=(path,))


_CALLS: Final = (
    ("Bash(*a*a*a*a*a*b)", _command("a" * 60)),
    ("Bash(" + "*a" * 200 + "*b)", _command("a" * 4_000)),
    ("Bash(git *)", _command("git log " + "a " * 15_000)),
    ("Bash(echo *)", _command("echo a && " * 2_000 + "echo a")),
    ("Read(//" + "**/a/" * 20 + "b)", _file(_DEEP)),
    ("Read(" + "*a" * 20 + "*b)", _file("a" * 250)),
)
"""An entry of a tool list, and a question that it does not fit or fits late."""


def slowest_decision() -> float:
    """Decide every call by its pattern; return the seconds of the slowest decision."""
    return max(_decide(entry, question) for entry, question in _CALLS)


def _decide(entry: str, question: Question) -> float:
    rule = ToolRule(((entry,),))
    start = time.process_time()
    rule.allows(question, _WORKSPACE)
    return time.process_time() - start
