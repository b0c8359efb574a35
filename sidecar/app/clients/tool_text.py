"""What others wrote in the results of tools, made safe for a model."""

from dataclasses import replace

from sidecar.api.stored.tasks import Rules
from sidecar.model_text import clean, escape_json, fence
from sidecar.tools.result import ToolResult


def safe_result(name: str, result: ToolResult, rules: Rules) -> ToolResult:
    """Return the result of a tool with a text that no subagent or stored task can forge.

    A text that is JSON needs no fence, and the text of the guide's rules stays as it is.
    """
    text = result.llm_content
    if name == "list_tasks" and rules == "guide" and result.error is None:
        return result
    if text.startswith("{"):
        return replace(result, llm_content=escape_json(text))
    if name == "task" and result.error is not None and "agentId" in (result.metadata or {}):
        return replace(result, llm_content=_fence_details(text, result.error.message))
    return replace(result, llm_content=clean(text))


def _fence_details(text: str, message: str) -> str:
    """Fence the words of a failed subagent; its partial result is JSON."""
    head, found, rest = text.partition(f"\nDetails: {message}")
    if not found:
        return clean(text)
    return f"{clean(head)}\nDetails:\n{fence(clean(message))}{escape_json(rest)}"
