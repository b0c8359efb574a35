"""The results of tools and resources as the protocol sends them; pure."""

from typing import Any, Final

from sidecar.api.model import NextReminder, ToolCallResult
from sidecar.mcp.model import Transcript
from sidecar.model_text import clean_value, fence_reminder

SCHEME: Final = "task://"


def tool_result(result: ToolCallResult, reminder: NextReminder | None) -> dict[str, Any]:
    """Return the answer of `tools/call`: text, the same as data, and a reminder as a block of its own."""
    content: list[dict[str, Any]] = [{"type": "text", "text": result.llm_content}]
    structured: dict[str, Any] = clean_value(dict(result.metadata or {}))
    if not result.llm_content.startswith("{"):  # else the metadata are the same object
        structured["text"] = result.llm_content
    if result.error is not None:
        structured["error"] = {"message": result.error.message, "type": result.error.type}
    if reminder is not None:
        text, task_ids = fence_reminder(reminder.text), list(reminder.task_ids)
        content.append({"type": "text", "text": text, "_meta": {"kind": "reminder", "taskIds": task_ids}})
        structured["reminder"] = {"text": text, "taskIds": task_ids}
    answer = {"content": content, "structuredContent": structured}
    return answer | ({"isError": True} if result.error is not None else {})


def resource(transcript: Transcript) -> dict[str, Any]:
    """Return a transcript as `resources/list` shows it."""
    title = clean_value(transcript.title)
    shown = {
        "uri": SCHEME + transcript.task_id,
        "name": title or transcript.task_id,
        "mimeType": "text/plain",
    }
    if transcript.last_activity is not None:
        shown["_meta"] = {"lastActivity": transcript.last_activity}  # type: ignore[assignment]
    return shown


def contents(uri: str, text: str) -> dict[str, Any]:
    """Return a transcript as `resources/read` shows it."""
    return {"contents": [{"uri": uri, "mimeType": "text/plain", "text": text}]}
