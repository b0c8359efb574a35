"""What a run may pass on: a run that it launches has the same rights or fewer."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import msgspec

from sidecar.api.errors import LaunchFailed
from sidecar.api.runs.async_tasks import Owner
from sidecar.api.runs.launches import LaunchParams
from sidecar.api.runs.permissions import Policy
from sidecar.subagents.limits.constraints import RunConstraints
from sidecar.subagents.permissions.policy import is_wider
from sidecar.subagents.permissions.tool_rule import ToolRule

if TYPE_CHECKING:
    from sidecar.subagents.runs.targets.target import Target


@dataclass(frozen=True)
class ParentRights:
    """The rights of a run that launches others. `policy` is None for the policy in the settings."""

    task_id: str
    workspace_dir: str
    owner: Owner | None
    policy: Policy | None
    tools: ToolRule | None

    def bind(self, params: LaunchParams) -> LaunchParams:
        """Return the parameters of a launch as a child of the run, in its directory."""
        return msgspec.structs.replace(
            params, parent_task_id=self.task_id, workspace_dir=self.workspace_dir, notify_model=False
        )

    def narrow(self, target: "Target", default: Policy) -> "Target":
        """Return the target with a policy that is not wider than that of the run.

        `default` is the policy in the settings. Raises LaunchFailed for a command, which never asks for
        permission, unless the run may do everything.
        """
        allowed, asked = self.policy or default, target.definition.permissions or default
        if target.runner.type == "command" and (allowed != "allowAll" or self.tools is not None):
            raise _command(target)
        if not is_wider(asked, allowed):
            return target
        notice = f"permissions: limited to {allowed}, the policy of the run that launched this one"
        definition = replace(target.definition, permissions=allowed)
        return replace(target, definition=definition, notices=(*target.notices, notice))

    def limit(self, constraints: RunConstraints) -> RunConstraints:
        """Return the constraints with the run's own list of tools added."""
        if self.tools is None:
            return constraints
        own = () if constraints.tools is None else constraints.tools.lists
        return replace(constraints, tools=ToolRule((*self.tools.lists, *own)))


def _command(target: "Target") -> LaunchFailed:
    name, runner = target.definition.name, target.runner.name
    reason = (
        f"its runner {runner!r} is a command, which does not ask before it acts. Only a run with "
        "permissions: allowAll and without a list of tools can launch it"
    )
    return LaunchFailed(f"subagent {name!r} cannot be launched: {reason}", subagentName=name, reason=reason)
