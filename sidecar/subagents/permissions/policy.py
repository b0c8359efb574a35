"""Apply policies, which depend on the kind of a tool and on the location of its files."""

from pathlib import Path

from sidecar.api.runs.permissions import Policy
from sidecar.subagents.permissions import reach
from sidecar.subagents.permissions.question import Question, Verdict

READS = frozenset({"read", "search", "think"})
EDITS = frozenset({"edit", "delete", "move"})
_WIDTH: dict[Policy, int] = {"deny": 0, "ask": 1, "allowReads": 2, "allowEdits": 3, "allowAll": 4}


def decide(policy: Policy, question: Question, workspace: Path) -> Verdict:
    """Return the verdict of `policy` on a question.

    `allowEdits` allows an edit only if the agent names its files and all of them are in the workspace.
    """
    if policy in ("ask", "deny"):
        return policy
    if policy == "allowAll" or question.tool_kind in READS:
        return "allow"
    if policy == "allowEdits" and question.tool_kind in EDITS and reach.inside(question, workspace):
        return "allow"
    return "ask"


def is_wider(policy: Policy, other: Policy) -> bool:
    """Return whether `policy` lets an agent do something that `other` does not."""
    return _WIDTH[policy] > _WIDTH[other]
