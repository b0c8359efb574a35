"""OpenAI's chat completions: what an agent posts, and the stream it gets."""

import json
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

from tests.model_server.script import Conversation, Reply, Tool
from tests.model_server.usage import Usage

Json = dict[str, Any]

ENDING = 3
"""Events at the end of a stream that carry no content."""


def read(body: Json) -> Conversation:
    """Return the conversation of a request."""
    messages: list[Json] = body.get("messages", [])
    newest = max((n for n, each in enumerate(messages) if "SCENARIO:" in text_of(each)), default=-1)
    return Conversation(
        user_texts=tuple(text_of(each) for each in messages),
        tool_answered=any(each["role"] == "tool" for each in messages[newest + 1 :]),
        tools=tuple(tool_of(each["function"]) for each in body.get("tools") or []),
        tool_texts=tuple(
            json.dumps(each["content"]) for each in messages[newest + 1 :] if each["role"] == "tool"
        ),
    )


def stream(reply: Reply) -> Iterator[Json | str]:
    """Yield the chunks of a reply, `[DONE]` last."""
    yield _chunk({"role": "assistant"})
    for word in reply.words:
        yield _chunk({"content": word})
    if reply.tool is not None:
        call: Json = {"index": 0, "id": f"call_{uuid4().hex}", "type": "function"}
        yield _chunk({"tool_calls": [{**call, "function": {"name": reply.tool, "arguments": ""}}]})
        yield _chunk(
            {"tool_calls": [{"index": 0, "function": {"arguments": json.dumps(dict(reply.arguments))}}]}
        )
    yield _chunk({}, "tool_calls" if reply.tool is not None else "stop")
    yield {**_chunk({}), "choices": [], "usage": _usage(reply.usage)}
    yield "[DONE]"


def _chunk(delta: Json, finish_reason: str | None = None) -> Json:
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    return {"id": "c1", "object": "chat.completion.chunk", "model": "fake-model", "choices": [choice]}


def _usage(used: Usage) -> Json:
    counts = {"prompt_tokens": used.input, "completion_tokens": used.output, "total_tokens": used.total}
    return {
        **counts,
        "prompt_tokens_details": {"cached_tokens": used.cached, "cache_write_tokens": used.written},
    }


def text_of(message: Json) -> str:
    """Return the user's text in a message, which is one text or several parts."""
    if message.get("role") != "user":
        return ""
    content = message.get("content")
    parts = content if isinstance(content, list) else [{"text": content}]
    return "\n".join(str(part.get("text") or "") for part in parts)


def tool_of(function: Json) -> Tool:
    """Return a function that is offered to the model."""
    schema: Json = function.get("parameters") or {}
    return Tool(function["name"], tuple(schema.get("required", ())), tuple(schema.get("properties", ())))
