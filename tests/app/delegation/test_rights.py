"""A run that another run launches has the same rights or fewer."""

import pytest

from sidecar.api.errors import LaunchFailed
from sidecar.api.runs.launches import LaunchParams
from sidecar.api.runs.permissions import Policy
from sidecar.api.settings import RunnerSettings
from sidecar.app.delegation.rights import ParentRights
from sidecar.subagents.definitions import Definition
from sidecar.subagents.limits.constraints import RunConstraints
from sidecar.subagents.permissions.tool_rule import ToolRule
from sidecar.subagents.runners.registry import build_runners
from sidecar.subagents.runs.targets.target import Target

READS = ToolRule((("Read",),))
COMMAND = RunnerSettings(type="command", command=["cat"])
AGENT = RunnerSettings(type="acp", command=["cat"])


def parent(policy: Policy | None, tools: ToolRule | None = None) -> ParentRights:
    return ParentRights("run-1", "/workspace", None, policy, tools)


def child(policy: Policy | None, runner: RunnerSettings = AGENT) -> Target:
    definition = Definition(name="scout", description="", system_prompt="", permissions=policy)
    return Target(definition, build_runners({"it": runner})["it"])


@pytest.mark.parametrize(
    ("own", "asked", "granted"),
    [
        ("deny", "allowAll", "deny"),
        ("ask", "allowEdits", "ask"),
        ("allowReads", "ask", "ask"),
        ("allowAll", "allowAll", "allowAll"),
        (None, "allowAll", "allowReads"),
        ("deny", None, "deny"),
    ],
)
def test_a_child_gets_the_narrower_policy(own: Policy | None, asked: Policy | None, granted: Policy) -> None:
    target = parent(own).narrow(child(asked), default="allowReads")
    assert (target.definition.permissions or "allowReads") == granted


def test_the_log_says_when_a_policy_was_narrowed() -> None:
    assert "limited to deny" in parent("deny").narrow(child("allowAll"), "ask").notices[0]
    assert parent("allowAll").narrow(child("ask"), "ask").notices == ()


@pytest.mark.parametrize(("own", "tools"), [("allowEdits", None), (None, None), ("allowAll", READS)])
def test_a_command_needs_a_parent_without_limits(own: Policy | None, tools: ToolRule | None) -> None:
    with pytest.raises(LaunchFailed, match="a command, which does not ask"):
        parent(own, tools).narrow(child(None, COMMAND), "ask")


def test_a_parent_without_limits_launches_a_command() -> None:
    target = child(None, COMMAND)
    assert parent("allowAll").narrow(target, "ask") is target


def test_the_lists_of_the_parent_apply_too() -> None:
    own = ToolRule((("Read", "Edit"),))
    limited = parent("ask", READS).limit(RunConstraints(tools=own)).tools
    assert limited == ToolRule((("Read",), ("Read", "Edit")))
    assert parent("ask").limit(RunConstraints(tools=own)).tools == own
    assert parent("ask", READS).limit(RunConstraints()).tools == READS


def test_a_child_works_in_the_directory_of_its_parent_under_its_id() -> None:
    params = LaunchParams(subagent_name="scout", goal_prompt="look", workspace_dir="/elsewhere")
    bound = parent("ask").bind(params)
    assert (bound.workspace_dir, bound.parent_task_id, bound.notify_model) == ("/workspace", "run-1", False)
