"""OpenAI's responses: what an agent posts, and the stream it gets."""

import json
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

from tests.model_server.openai_chat import text_of, tool_of
from tests.model_server.script import Conversation, Reply, Tool
from tests.model_server.usage import Usage

Json = dict[str, Any]

_IN = "::"

ENDING = 3
"""Events at the end of a stream that carry no content."""


def read(body: Json) -> Conversation:
    """Return the conversation of a request."""
    given = body.get("input", [])
    items: list[Json] = [{"role": "user", "content": given}] if isinstance(given, str) else given
    newest = max((n for n, each in enumerate(items) if "SCENARIO:" in text_of(each)), default=-1)
    results = [each for each in items[newest + 1 :] if str(each.get("type", "")).endswith("_output")]
    return Conversation(
        user_texts=tuple(text_of(each) for each in items),
        tool_answered=bool(results),
        tools=tuple(_tools(body.get("tools") or [])),
        tool_texts=tuple(json.dumps(each.get("output")) for each in results),
    )


def _tools(declared: list[Json]) -> Iterator[Tool]:
    """Yield the functions. In a namespace, as codex declares the tools of servers, a name has both parts."""
    for each in declared:
        if each.get("type") == "function":
            yield tool_of(each)
        elif each.get("type") == "namespace":
            yield from (
                tool_of({**tool, "name": f"{each['name']}{_IN}{tool['name']}"}) for tool in each["tools"]
            )


def stream(reply: Reply) -> Iterator[Json]:
    """Yield the events of a reply; the type of each is also the name it is sent under."""
    yield {"type": "response.created", "response": _response(reply)}
    item = _message(reply) if reply.tool is None else _call(reply)
    empty: Json = {"content": []} if reply.tool is None else {"arguments": ""}
    begun = {**item, **empty, "status": "in_progress"}
    yield {"type": "response.output_item.added", "output_index": 0, "item": begun}
    yield from _text_events(reply) if reply.tool is None else _call_events(reply)
    yield {"type": "response.output_item.done", "output_index": 0, "item": item}
    yield {"type": "response.completed", "response": _response(reply, item)}


def _text_events(reply: Reply) -> Iterator[Json]:
    place = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
    part = {"type": "output_text", "text": "", "annotations": []}
    yield {"type": "response.content_part.added", **place, "part": part}
    for word in reply.words:
        yield {"type": "response.output_text.delta", **place, "delta": word}
    yield {"type": "response.output_text.done", **place, "text": "".join(reply.words)}


def _call_events(reply: Reply) -> Iterator[Json]:
    place = {"item_id": "fc_1", "output_index": 0}
    arguments = _arguments(reply)
    yield {"type": "response.function_call_arguments.delta", **place, "delta": arguments}
    yield {"type": "response.function_call_arguments.done", **place, "arguments": arguments}


def _message(reply: Reply) -> Json:
    content = [{"type": "output_text", "text": "".join(reply.words), "annotations": []}]
    return {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": content}


def _call(reply: Reply) -> Json:
    call: Json = {
        "id": "fc_1",
        "type": "function_call",
        "call_id": f"call_{uuid4().hex}",
        "status": "completed",
    }
    namespace, _, name = (reply.tool or "").rpartition(_IN)
    inside = {"namespace": namespace} if namespace else {}
    return {**call, **inside, "name": name, "arguments": _arguments(reply)}


def _arguments(reply: Reply) -> str:
    return json.dumps(dict(reply.arguments))


def _response(reply: Reply, item: Json | None = None) -> Json:
    head: Json = {
        "id": f"resp_{reply.id}",
        "object": "response",
        "model": "fake-model",
        "created_at": 0,
    }
    if item is None:
        return {**head, "status": "in_progress", "output": [], "usage": None}
    return {**head, "status": "completed", "output": [item], "usage": _usage(reply.usage)}


def _usage(used: Usage) -> Json:
    return {
        "input_tokens": used.input,
        "input_tokens_details": {"cached_tokens": used.cached, "cache_write_tokens": used.written},
        "output_tokens": used.output,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": used.total,
    }
