"""Messages of Codex as versions since the autumn of 2026 report them: as completed items. Pure."""

from typing import Any, Final

Record = dict[str, Any]
_KINDS: Final = {"user_message": ("UserMessage", "text"), "agent_message": ("AgentMessage", "Text")}


def as_item(record: Record) -> Record:
    """Return a message as newer versions report it; other records as they are."""
    payload = record["payload"]
    if record["type"] != "event_msg" or payload["type"] not in _KINDS:
        return record
    kind, part = _KINDS[payload["type"]]
    item = {"type": kind, "id": "i", "content": [{"type": part, "text": payload["message"]}]}
    return {**record, "payload": {"type": "item_completed", "turn_id": "t", "item": item}}
