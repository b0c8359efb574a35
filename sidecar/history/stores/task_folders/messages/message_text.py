"""Extract readable text from stored messages: blocks, and the JSON that products keep in texts."""

import json
from collections.abc import Callable
from typing import Any

import orjson

from sidecar.figures import dollars

REASONING = frozenset(("thinking", "redacted_thinking", "reasoning", "thoughtSignature"))
"""Block types with the model's reasoning."""

MAX_RAW = 2_000
"""Longest JSON text shown of a value that is not understood, in characters."""

_Json = dict[str, Any]


def raw(value: object) -> str:
    """Print any value as JSON, cut to `MAX_RAW`; never raises."""
    try:
        text = _dump(value)
    except (RecursionError, ValueError, TypeError):
        return "(a value that cannot be shown)"
    return text if len(text) <= MAX_RAW else text[: MAX_RAW - 3] + "..."


def _dump(value: object) -> str:
    try:
        return orjson.dumps(value).decode()
    except orjson.JSONEncodeError:  # lone surrogates or whole numbers beyond 64 bits
        return json.dumps(value)


def ui_text(word: str, message: _Json) -> tuple[str, str | None]:
    """Return the text of a UI message whose say or ask is `word`, and the tool it names."""
    text = message.get("text")
    text = text if isinstance(text, str) else "" if text is None else raw(text)
    fields = _json_object(text)
    tool = None
    if fields is not None:
        tool = _first_string(fields, "tool", "toolName", "action") if word in _TOOL_WORDS else None
        text = _RENDERERS.get(word, _plain)(fields) or text
    elif word == "reasoning" and not text:
        text = _first_string(message, "reasoning") or ""
    images = message.get("images")
    return "\n".join(
        [text] * bool(text) + ["[image]"] * (len(images) if isinstance(images, list) else 0)
    ), tool


def api_text(blocks: list[Any]) -> str:
    """Join the readable parts of an API message's blocks."""
    return "\n".join(filter(None, map(_block, blocks)))


def _block(block: object) -> str:
    if isinstance(block, str):
        return block
    if not isinstance(block, dict):
        return raw(block)
    block_type = block.get("type")
    if block_type == "tool_use":
        return f"{_first_string(block, 'name') or 'tool'} {raw(block.get('input', {}))}"
    if block_type == "tool_result":
        return _result(block.get("content"))
    if isinstance(block_type, str) and block_type in REASONING:
        return _reasoning(block)
    return _leaf(block)


def _result(content: object) -> str:
    """Read a tool result's content: a string, or blocks that are not opened any further."""
    if isinstance(content, list):
        return "\n".join(filter(None, (_leaf(part) for part in content)))
    return content if isinstance(content, str) else "" if content is None else raw(content)


def _leaf(part: object) -> str:
    if not isinstance(part, dict):
        return part if isinstance(part, str) else raw(part)
    part_type = part.get("type")
    if part_type in ("image", "document"):
        return f"[{part_type}]"
    text = part.get("text")
    return text if isinstance(text, str) else "" if part_type == "text" and text is None else raw(part)


def _reasoning(block: _Json) -> str:
    """Return the text of a reasoning block; encrypted or redacted ones have none."""
    text = _first_string(block, "thinking", "text")
    summary = block.get("summary")
    if text or not isinstance(summary, list):
        return text or ""
    return "\n".join(filter(None, map(_leaf, summary)))


def _json_object(text: str) -> _Json | None:
    """Parse a text that is a JSON object; None for every other."""
    if not text.startswith("{"):
        return None
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, dict) else None


def _first_string(fields: _Json, *names: str) -> str | None:
    return next((fields[name] for name in names if isinstance(fields.get(name), str)), None)


def _plain(fields: _Json) -> str:
    return ""


def _tool(fields: _Json) -> str:
    """Name a tool and what it works on, then its content."""
    name = _first_string(fields, "tool", "action") or "tool"
    target = _first_string(fields, "path", "url", "query", "regex", "mode", "filePattern")
    body = _first_string(fields, "diff", "content", "text")
    return "\n".join(filter(None, [f"{name} {target}" if target else name, body]))


def _mcp(fields: _Json) -> str:
    server = _first_string(fields, "serverName") or "server"
    called = _first_string(fields, "toolName", "uri") or ""
    arguments = fields.get("arguments")
    shown = arguments if isinstance(arguments, str) else "" if arguments is None else raw(arguments)
    return "\n".join(filter(None, [f"{server}: {called}", shown]))


def _question(fields: _Json) -> str:
    """Show a question or a proposal, and the answers that were offered."""
    asked = _first_string(fields, "question", "response") or ""
    offered = fields.get("suggest", fields.get("options"))
    answers = offered if isinstance(offered, list) else []
    return "\n".join(filter(None, [asked, *(f"- {_answer(answer)}" for answer in answers)]))


def _answer(answer: object) -> str:
    text = _first_string(answer, "answer") if isinstance(answer, dict) else None
    return text or (answer if isinstance(answer, str) else raw(answer))


def _request(fields: _Json) -> str:
    """Show a request's figures and why it ended, without its prompt, which is in the API file."""
    numbers = (
        ("tokensIn", "in"),
        ("tokensOut", "out"),
        ("cacheReads", "cache reads"),
        ("cacheWrites", "cache writes"),
    )
    parts = [f"{fields[name]} {label}" for name, label in numbers if _is_number(fields.get(name))]
    if _is_number(fields.get("cost")):
        parts.append(dollars(fields["cost"]))
    reason = _first_string(fields, "cancelReason")
    why = _CANCEL_REASONS.get(reason, reason) if reason else None
    because = _first_string(fields, "streamingFailedMessage")
    figures = ", ".join(parts)
    outcome = f"{figures} ({why})" if figures and why else figures or why
    return "\n".join(filter(None, [outcome, because])) or "request"


_CANCEL_REASONS = {
    "user_cancelled": "cancelled by the user",
    "streaming_failed": "the answer was interrupted",
}


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_TOOL_WORDS = frozenset(("tool", "use_mcp_server", "browser_action", "browser_action_launch"))
_RENDERERS: dict[str, Callable[[_Json], str]] = {
    "tool": _tool,
    "browser_action": _tool,
    "use_mcp_server": _mcp,
    "followup": _question,
    "plan_mode_respond": _question,
    "api_req_started": _request,
    "api_req_finished": _request,
    "deleted_api_reqs": _request,
    "subagent_usage": _request,
}
