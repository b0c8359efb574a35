"""What others wrote in the results of tools, made safe for a model."""

from dataclasses import replace

from sidecar.api.stored.tasks import Rules
from sidecar.model_text import clean, escape_json, fence
from sidecar.tools.result import ToolResult


def safe_result(name: str, result: ToolResult, rules: Rules) -> ToolResult:
    """Return the result of a tool with texts that no subagent or stored task can forge.

    A text that is JSON needs no fence, and the text of the guide's rules stays as it is.
    """
    safe = replace(result, llm_content=_safe_text(name, result, rules))
    if result.error is None:
        return safe
    return replace(safe, error=replace(result.error, message=clean(result.error.message)))


def _safe_text(name: str, result: ToolResult, rules: Rules) -> str:
    text = result.llm_content
    if name == "list_tasks" and rules == "guide" and result.error is None:
        return text
    if text.startswith("{"):
        return escape_json(text)
    if name == "task" and result.error is not None and "agentId" in (result.metadata or {}):
        return _fence_details(text, result.error.message)
    return clean(text)


def _fence_details(text: str, message: str) -> str:
    """Fence the words of a failed subagent; its partial result is JSON."""
    head, found, rest = text.partition(f"\nDetails: {message}")
    if not found:
        return clean(text)
    return f"{clean(head)}\nDetails:\n{fence(clean(message))}{escape_json(rest)}"
