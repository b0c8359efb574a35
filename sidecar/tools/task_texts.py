"""The results of the tool `task`."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sidecar.javascript.printing import js_entries, js_string, json_stringify
from sidecar.subagents.reminders.reminder import completed_payload
from sidecar.subagents.runs.lifecycle import RunEnd, error_text
from sidecar.subagents.tasks.model import Output
from sidecar.subagents.tasks.outcome import NO_OUTPUT
from sidecar.subagents.tasks.timeouts import TimeoutChoice
from sidecar.tools.launches import StartedTask
from sidecar.tools.result import ToolError, ToolResult

EXECUTION_FAILED = "EXECUTION_FAILED"
TIMEOUT = "TIMEOUT"
NO_AGENT = "primary"
"""The agent ID in a result without a subagent, which names the caller."""
CHOICES = (
    "You can:\n"
    "1. Wait until a running task ends; check it with 'check_async_tasks'.\n"
    "2. Run this subagent synchronously, without async.\n"
    "3. Try again later."
)


def no_manager() -> ToolResult:
    """Report that background runs are not available here."""
    error = ToolError("AsyncTaskManager not configured", EXECUTION_FAILED)
    llm = "Async mode requires AsyncTaskManager to be configured."
    return ToolResult(llm, "Error: Async mode not available.", error=error)


def over_limit(reason: str) -> ToolResult:
    """Refuse a launch over the limit, and list the alternatives."""
    return ToolResult(f"{reason}\n\n{CHOICES}", reason, error=ToolError(reason, EXECUTION_FAILED))


def launched(name: str, task: StartedTask) -> ToolResult:
    """Report that a run is in the background or waits for a slot."""
    if task.queue_position is None:
        return _started(name, task.task_id, "running", "running")
    return _started(name, task.task_id, "queued", f"queued at position {task.queue_position}")


def failed(fallback: str, detail: str | None, agent_id: str | None = None) -> ToolResult:
    """Report a failure, with the message of the error if it has one."""
    shown = f"{fallback}\nDetails: {detail}" if detail else fallback
    message = detail or fallback
    metadata = {"agentId": agent_id, "error": message} if agent_id else None
    return ToolResult(shown, shown, metadata, ToolError(message, EXECUTION_FAILED))


def raised(fallback: str, error: BaseException) -> ToolResult:
    """Report an exception."""
    return failed(fallback, error_text(error))


def cancelled(message: str, agent_id: str = NO_AGENT, output: Output | None = None) -> ToolResult:
    """Report that a run was stopped, with its output so far."""
    metadata = {"agentId": agent_id, **_produced(output), "cancelled": True}
    return ToolResult(message, message, metadata, ToolError(message, EXECUTION_FAILED))


def timed_out(timeout: TimeoutChoice, agent_id: str = NO_AGENT, output: Output | None = None) -> ToolResult:
    """Report that the time limit ended a run, with its output so far for the model."""
    message = timeout.text
    produced = {"terminateReason": TIMEOUT, **_produced(output)}
    metadata = {"agentId": agent_id, **produced, "timedOut": True}
    llm = message + _partial(agent_id, output)
    return ToolResult(llm, message, metadata, ToolError(message, TIMEOUT))


def finished(name: str, agent_id: str, end: RunEnd, timeout: TimeoutChoice) -> ToolResult:
    """Report the end of a synchronous run."""
    outcome, produced = end.outcome, end.output
    if not end.returned:
        if outcome.reason == "timeout":
            return timed_out(timeout, agent_id, produced)
        if outcome.status == "cancelled" or outcome.reason == "hostExit":
            return cancelled("Task execution aborted before completion.", agent_id, produced)
        result = failed(f"Subagent '{name}' failed during execution.", outcome.error, agent_id)
        return replace(result, llm_content=result.llm_content + _partial(agent_id, produced))
    output = produced or NO_OUTPUT
    metadata = {"agentId": agent_id, **_produced(output)}
    return ToolResult(_content(agent_id, output), _display(name, agent_id, output), metadata)


def with_timeout(result: ToolResult, timeout: TimeoutChoice) -> ToolResult:
    """Add the time limit to a result's metadata, and a reduction to its texts."""
    metadata = {
        **(result.metadata or {}),
        "effectiveTimeoutSeconds": timeout.effective,
        "requestedTimeoutSeconds": timeout.requested,
        "timeoutClamped": timeout.clamped,
    }
    notice = f"\n\n{timeout.sentence}" if timeout.sentence else ""
    return replace(
        result,
        llm_content=result.llm_content + notice,
        return_display=result.return_display + notice,
        metadata=metadata,
    )


def _started(name: str, agent_id: str, status: str, doing: str) -> ToolResult:
    llm = (
        f"Async task launched: subagent '{name}' (ID: {agent_id}). Task is {doing} in background. "
        "Use 'check_async_tasks' to monitor progress. You will be notified when it ends."
    )
    metadata = {"agentId": agent_id, "async": True, "status": status}
    return ToolResult(llm, f"Async task started: **{name}** (`{agent_id}`)", metadata)


def _content(agent_id: str, output: Output) -> str:
    return json_stringify(completed_payload(agent_id, output))


def _emitted(output: Output) -> Mapping[str, Any]:
    emitted = output.get("emitted_vars")
    return emitted if isinstance(emitted, Mapping) else {}


def _partial(agent_id: str, output: Output | None) -> str:
    """Render the output of a run that did not reach its goal, to append to a text; may be empty."""
    if output is None or not (output.get("final_message") or _emitted(output)):
        return ""
    return "\n\n" + _content(agent_id, output)


def _produced(output: Output | None) -> dict[str, Any]:
    """Return a run's output as metadata, with a reason only if there is one."""
    if output is None:
        return {"emittedVars": {}}
    reason = output.get("terminate_reason")
    produced = {} if reason is None else {"terminateReason": reason}
    produced["emittedVars"] = dict(_emitted(output))
    message = output.get("final_message")
    return produced | ({"finalMessage": message} if message else {})


def _display(name: str, agent_id: str, output: Output) -> str:
    reason = js_string(output.get("terminate_reason"))
    message = output.get("final_message")
    emitted = js_entries(_emitted(output))
    rows = "".join(f"\n- **{key}**: {js_string(value)}" for key, value in emitted)
    return "\n\n".join(
        [
            f"Subagent **{name}** (`{agent_id}`) completed with status `{reason}`.",
            f"Final message:\n{message}" if message else "Final message: _(none)_",
            f"Emitted variables:{rows or ' _(none)_'}",
        ]
    )
