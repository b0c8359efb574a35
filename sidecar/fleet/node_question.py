"""Permission requests as a node sends them: the sidecar decides, but cannot see links or secrets there."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from sidecar.subagents.paths.real_path import real_path
from sidecar.subagents.permissions import paths, places, reached_files
from sidecar.subagents.permissions.policy import EDITS, READS
from sidecar.subagents.permissions.question import Question
from sidecar.subagents.runners.remote.job import to_plain


def passed_on(question: Question, tree: Path, without_secrets: Callable[[Any], Any]) -> dict[str, Any]:
    """Return a request as plain data without secrets. Blocking.

    Files outside of the tree that it reaches through links are added to its `paths`.
    """
    is_of_files = question.tool_kind in EDITS | READS
    reached = reached_files.reached(question, tree) if is_of_files else []
    if reached:
        question = replace(question, paths=(*question.paths, *_outside(question, reached, tree)))
    hidden: dict[str, Any] = without_secrets(to_plain(question))
    if is_of_files:
        is_exact = reached is not None and _places(hidden["arguments"]) == _places(question.arguments)
    else:
        covered = {name: to_plain(getattr(question, name)) for name in ("arguments", "command", "url")}
        is_exact = covered.items() <= hidden.items()
    return {**hidden, "is_exact": question.is_exact and is_exact}


def _outside(question: Question, reached: list[reached_files.Reached], tree: Path) -> list[str]:
    root = real_path(tree) or ""
    found = dict.fromkeys(each.path for each in reached if paths.relative([each.path], root) is None)
    return [each for each in found if each not in question.paths]


def _places(arguments: Any) -> list[places.Place]:
    return [each for each in places.named(arguments or {}) or () if each.role != "text"]
