"""Convert launch parameters to and from records, so that an ended run can be launched again."""

from pathlib import Path
from typing import Any

from sidecar.api.runs.launches import Attachment, LaunchParams
from sidecar.subagents.journal.records import RunRecord
from sidecar.subagents.permissions.tool_rule import delegated
from sidecar.subagents.tasks.timeouts import NONE


def to_record(params: LaunchParams) -> dict[str, Any]:
    """Return the parameters for the record; `behaviourPrompts` starts with the goal."""
    tools = params.tool_whitelist
    given = {
        "expectedOutputs": params.expected_outputs,
        "toolWhitelist": None if tools is None else delegated(tools),
        "maxTurns": params.max_turns,
        "gracePeriodSeconds": params.grace_period_seconds,
        "model": params.model,
        "mode": params.mode,
        "effort": params.effort,
        "additionalDirectories": params.additional_directories,
        # Data may be large and private, so only files can be attached again.
        "attachments": _paths(params.attachments),
        "placement": params.placement,
        "nodeLabels": params.node_labels,
    }
    return {
        "behaviourPrompts": [params.goal_prompt, *(params.behaviour_prompts or ())],
        "context": dict(params.context or {}),
        **{name: value for name, value in given.items() if value is not None},
    }


def attachment_names(attachments: list[Attachment] | None) -> list[str] | None:
    """Return the displayed names of the attachments of a launch; None if there are none."""
    return [_name(each) for each in attachments or ()] or None


def _name(attachment: Attachment) -> str:
    return (attachment.mime_type or "") if attachment.path is None else Path(attachment.path).name


def _paths(attachments: list[Attachment] | None) -> list[dict[str, str]] | None:
    return [{"path": each.path} for each in attachments or () if each.path is not None] or None


def from_record(ended: RunRecord, notify_model: bool | None = None) -> LaunchParams:
    """Return the parameters for launching an ended run again.

    Without `notify_model`, the model is notified of the new end if the ended run concerns it.
    """
    task, request = ended.task, ended.request
    return LaunchParams(
        subagent_name=task.subagent_name,
        goal_prompt=task.goal_prompt,
        behaviour_prompts=request["behaviourPrompts"][1:],
        context=request["context"],
        expected_outputs=request.get("expectedOutputs"),
        tool_whitelist=request.get("toolWhitelist"),
        timeout_seconds=NONE if task.timeout_seconds is None else task.timeout_seconds,
        grace_period_seconds=request.get("gracePeriodSeconds"),
        max_turns=request.get("maxTurns"),
        model=request.get("model"),
        mode=request.get("mode"),
        effort=request.get("effort"),
        additional_directories=request.get("additionalDirectories"),
        attachments=[Attachment(**each) for each in request.get("attachments", ())] or None,
        placement=request.get("placement"),
        node_labels=request.get("nodeLabels"),
        workspace_dir=task.workspace_dir,
        parent_task_id=task.parent_task_id,
        notify_model=ended.concerns_model if notify_model is None else notify_model,
    )
