"""Normalize stored messages of all products and versions.

`role` is who speaks: user, assistant, system (the product itself) or unknown. `kind` is what it is:

| kind | says |
|---|---|
| text | plain speech, feedback of the user included |
| reasoning | the model thinking |
| tool, tool_result | a tool is called; what it gave back |
| command, command_output | a shell command; what it printed |
| request | one call of the model: tokens, cost, why it was cancelled |
| completion | the result that the agent hands over |
| error | something went wrong, routine errors included |
| checkpoint | the product saved the files |
| summary, condensed | the text that stands for older messages; a message no longer sent to the model |
| notice | anything else the product reports |
| ask:NAME | the product waits for the user; NAME is its own word, such as followup, command, tool |
| unknown | a value that is not a message; the text is its JSON, cut |
"""

from typing import Any, Literal

from sidecar.api.stored.tasks import Product, StoredMessage, ToolMark
from sidecar.history.stores.task_folders.messages import message_text as render
from sidecar.history.stores.task_folders.messages.shown_edits import edits_shown
from sidecar.history.stores.task_folders.products import PRODUCTS
from sidecar.javascript.dates import MAX_TIME
from sidecar.javascript.values import well_formed

MAX_NAME = 100
"""Longest name taken over from a file into a kind or a tool mark, in characters."""

_SAYS: dict[str, tuple[str, str]] = {
    "text": ("assistant", "text"),
    "user_feedback": ("user", "text"),
    "user_feedback_diff": ("user", "text"),
    "reasoning": ("assistant", "reasoning"),
    "tool": ("assistant", "tool"),
    "browser_action": ("assistant", "tool"),
    "browser_action_launch": ("assistant", "tool"),
    "use_mcp_server": ("assistant", "tool"),
    "browser_action_result": ("system", "tool_result"),
    "mcp_server_response": ("system", "tool_result"),
    "command": ("assistant", "command"),
    "command_output": ("system", "command_output"),
    "api_req_started": ("system", "request"),
    "api_req_finished": ("system", "request"),
    "completion_result": ("assistant", "completion"),
    "plan_completion_result": ("assistant", "completion"),
    "subtask_result": ("assistant", "completion"),
    "error": ("system", "error"),
    "diff_error": ("system", "error"),
    "error_retry": ("system", "error"),
    "api_req_retried": ("system", "error"),
    "api_req_retry_delayed": ("system", "error"),
    "compaction": ("system", "summary"),
    **{word: shown for product in PRODUCTS for word, shown in product.says.items()},
}
_SYSTEM_ASKS = {
    "api_req_failed",
    "mistake_limit_reached",
    "auto_approval_max_req_reached",
    "payment_required_prompt",
    "invalid_model",
    "unauthorized_prompt",
    "resume_task",
    "resume_completed_task",
    "command_output",
    "condense",
}
_COMPLETION_FLAGS: dict[Product | None, str] = {it.name: it.completion_flag for it in PRODUCTS}


def normalize(
    kind: Literal["ui", "api"], index: int, message: object, product_hint: Product | None = None
) -> StoredMessage:
    """Normalize one element of a message file. Never raises.

    `index` is its place in the file, `product_hint` the writer if known. Texts have no lone surrogates.
    """
    if not isinstance(message, dict):
        return _unknown(index, message)
    if kind == "ui":
        return _ui_message(index, message, product_hint)
    return _api_message(index, message)


def _unknown(index: int, value: object) -> StoredMessage:
    ts = _time(value) if isinstance(value, dict) else None
    return StoredMessage(index=index, ts=ts, role="unknown", kind="unknown", text=render.raw(value))


def _time(message: dict[str, Any]) -> int | float | None:
    """Return a message's time in ms if it is one."""
    ts = message.get("ts")
    if isinstance(ts, bool) or not isinstance(ts, int | float):
        return None
    return ts if 0 < ts <= MAX_TIME else None


def _name(value: object) -> str | None:
    return well_formed(value[:MAX_NAME]) if isinstance(value, str) and value else None


def _ui_message(index: int, message: dict[str, Any], product: Product | None) -> StoredMessage:
    word = _name(message.get("say")) if message.get("type") != "ask" else None
    asked = _name(message.get("ask")) if not word else None
    if not word and not asked:
        return _unknown(index, message)
    if asked:
        role, kind = ("system" if asked in _SYSTEM_ASKS else "assistant"), f"ask:{asked}"
    else:
        role, kind = _SAYS.get(word or "", ("system", "notice"))
    if index == 0 and word == "text":
        role = "user"
    text, tool = render.ui_text(word or asked or "", message)
    if kind in ("completion", "ask:completion_result"):
        text = text.removesuffix(_COMPLETION_FLAGS.get(product, ""))
    return StoredMessage(
        index=index,
        ts=_time(message),
        role=role,
        kind=kind,
        text=well_formed(text) or None,
        tool=ToolMark(name=_name(tool), edits=edits_shown(message)) if tool else None,
    )


def _api_message(index: int, message: dict[str, Any]) -> StoredMessage:
    role, content = message.get("role"), message.get("content")
    if role not in ("user", "assistant", "system"):
        if message.get("type") != "reasoning":
            return _unknown(index, message)
        role, content = "assistant", [message]  # Roo wrote a reasoning block in a message's place
    blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
    if content is not None and not isinstance(content, str | list):
        return _unknown(index, message)
    return StoredMessage(
        index=index,
        ts=_time(message),
        role=role,
        kind=_api_kind(message, blocks),
        text=well_formed(render.api_text(blocks)) or None,
        tool=_api_tool(blocks),
    )


def _api_kind(message: dict[str, Any], blocks: list[Any]) -> str:
    if message.get("isTruncationMarker"):
        return "notice"
    if message.get("isSummary"):
        return "summary"
    if message.get("condenseParent") or message.get("truncationParent"):
        return "condensed"
    types = {block.get("type") for block in blocks if isinstance(block, dict) and _name(block.get("type"))}
    for block_type, kind in (("tool_use", "tool"), ("tool_result", "tool_result"), ("text", "text")):
        if block_type in types:
            return kind
    return "reasoning" if types & render.REASONING else "text"


def _api_tool(blocks: list[Any]) -> ToolMark | None:
    """Mark the first tool that a message calls or answers."""
    for block in blocks:
        if not isinstance(block, dict):
            continue
        if block.get("type") == "tool_use":
            return ToolMark(name=_name(block.get("name")), id=_name(block.get("id")))
        if block.get("type") == "tool_result":
            status = "error" if block.get("is_error") else "ok"
            return ToolMark(id=_name(block.get("tool_use_id")), status=status)
    return None
