"""Anthropic's messages: what an agent posts, and the stream it gets."""

import json
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

from tests.model_server.script import Conversation, Reply, Tool

Json = dict[str, Any]

ENDING = 3
"""Events at the end of a stream that carry no content."""


def read(body: Json) -> Conversation:
    """Return the conversation of a request."""
    messages: list[Json] = body.get("messages", [])
    newest = max((n for n, each in enumerate(messages) if "SCENARIO:" in _text(each)), default=-1)
    results = [
        part for each in messages[newest + 1 :] for part in _parts(each) if part["type"] == "tool_result"
    ]
    return Conversation(
        user_texts=tuple(_text(each) for each in messages),
        tool_answered=bool(results),
        tools=tuple(_tool(each) for each in body.get("tools") or [] if "input_schema" in each),
        tool_texts=tuple(
            text for each in results if "tool_reference" not in (text := json.dumps(each.get("content")))
        ),
    )


def stream(reply: Reply) -> Iterator[Json]:
    """Yield the events of a reply; the type of each is also the name it is sent under."""
    yield {"type": "message_start", "message": _message(reply, [])}
    if reply.words:
        yield _start({"type": "text", "text": ""})
        for word in reply.words:
            yield _delta({"type": "text_delta", "text": word})
    if reply.tool is not None:
        yield _start({"type": "tool_use", "id": f"toolu_{uuid4().hex}", "name": reply.tool, "input": {}})
        yield _delta({"type": "input_json_delta", "partial_json": json.dumps(dict(reply.arguments))})
    yield {"type": "content_block_stop", "index": 0}
    reason = "end_turn" if reply.tool is None else "tool_use"
    yield {
        "type": "message_delta",
        "delta": {"stop_reason": reason, "stop_sequence": None},
        "usage": {"output_tokens": reply.usage.output},
    }
    yield {"type": "message_stop"}


def whole(reply: Reply) -> Json:
    """Return a reply that is not streamed, such as to a call without tools."""
    return {**_message(reply, [{"type": "text", "text": "".join(reply.words)}]), "stop_reason": "end_turn"}


def _message(reply: Reply, content: list[Json]) -> Json:
    head: Json = {"id": f"msg_{reply.id}", "type": "message", "role": "assistant", "model": "fake-model"}
    used = reply.usage
    usage = {
        "input_tokens": used.input - used.cached - used.written,
        "cache_creation_input_tokens": used.written,
        "cache_read_input_tokens": used.cached,
        "output_tokens": used.output,
    }
    return {**head, "content": content, "stop_reason": None, "stop_sequence": None, "usage": usage}


def _start(block: Json) -> Json:
    return {"type": "content_block_start", "index": 0, "content_block": block}


def _delta(delta: Json) -> Json:
    return {"type": "content_block_delta", "index": 0, "delta": delta}


def _parts(message: Json) -> list[Json]:
    content = message.get("content")
    return content if isinstance(content, list) else [{"type": "text", "text": content}]


def _text(message: Json) -> str:
    if message["role"] != "user":
        return ""
    return "\n".join(str(part.get("text") or "") for part in _parts(message) if part["type"] == "text")


def _tool(declaration: Json) -> Tool:
    schema: Json = declaration["input_schema"]
    return Tool(declaration["name"], tuple(schema.get("required", ())), tuple(schema.get("properties", ())))
