"""Read the texts of messages, and separate what a person typed from what surrounds it. Pure."""

import re
from typing import Final

import msgspec

from sidecar.history.stored.parsing import UNREADABLE, value_of
from sidecar.history.stores.codex.records import PARTS, Payload

_REQUEST: Final = re.compile(r"^## My request for Codex:\s*", re.MULTILINE)
"""Behind this heading, editors put the prompt below a list of open files."""
_IDE: Final = "# Context from my IDE setup:"
_MADE_BY_CODEX: Final = (
    "<environment_context>",
    "<user_instructions>",
    "<permissions instructions>",
    "<turn_aborted>",
    "<user_shell_command>",
    "<subagent_notification>",
    "<skill>",
    "# AGENTS.md instructions",
)
_ITEMS: Final = {
    "UserMessage": "user_message",
    "AgentMessage": "agent_message",
    "Reasoning": "agent_reasoning",
}
_PLAIN: Final = (None, "plain")
"""The kinds of user messages that a person typed."""


def typed(message: str | None, kind: str | None = None) -> str:
    """Return the prompt in a message of the user; empty if no person typed it."""
    if not message or kind not in _PLAIN or message.lstrip().startswith(_MADE_BY_CODEX):
        return ""
    if message.lstrip().startswith(_IDE) and (match := _REQUEST.search(message)):
        return message[match.end() :].strip()
    return message.strip()


def event_of(payload: Payload) -> tuple[str, str | None]:
    """Return the kind of an event, and the text of one that is a message.

    Versions since the autumn of 2026 report messages as completed items.
    """
    item = payload.item
    kind = _ITEMS.get(item.type) if item is not None and payload.type == "item_completed" else None
    if item is None or kind is None:
        return payload.type, payload.text if payload.type == "agent_reasoning" else payload.message
    summary = value_of(item.summary_text)
    if isinstance(summary, list):
        return kind, "\n".join(part for part in summary if isinstance(part, str))
    return kind, text_of_parts(item.content)


def text_of_parts(content: msgspec.Raw) -> str:
    """Join the texts of a message's parts."""
    try:
        return "\n".join(part.text for part in PARTS.decode(content) if part.text)
    except UNREADABLE:
        return ""


def error_of(payload: Payload) -> str | None:
    """Return why a turn failed, as its last event says; None if it does not."""
    error = value_of(payload.error)
    if not error:
        return None
    message = error.get("message") if isinstance(error, dict) else error
    return message if isinstance(message, str) and message else "error"
