"""What an agent may do without asking a person: pure, by the kind of the tool and of the options."""

import os
from collections.abc import Iterable
from pathlib import Path

from sidecar.api.permissions import Policy
from sidecar.subagents.permissions.question import Question, Verdict

READS = frozenset({"read", "search", "think"})
EDITS = frozenset({"edit", "delete", "move"})


def decide(policy: Policy, question: Question, workspace: Path) -> Verdict:
    """Return what `policy` says of a question.

    An edit counts as one in the workspace only when the agent names its files and all lie there.
    """
    if policy in ("ask", "deny"):
        return policy
    if policy == "allowAll" or question.tool_kind in READS:
        return "allow"
    if policy == "allowEdits" and question.tool_kind in EDITS and all_inside(question.paths, workspace):
        return "allow"
    return "ask"


def all_inside(paths: Iterable[str], workspace: Path) -> bool:
    """Tell whether there are paths and all, links followed, lie in the workspace."""
    root = os.path.realpath(workspace)
    real = [os.path.realpath(os.path.join(root, path)) for path in paths]  # noqa: PTH118 (links, as the system has them)
    return bool(real) and all(os.path.commonpath([root, path]) == root for path in real)
