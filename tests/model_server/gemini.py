"""Gemini's generateContent: what an agent posts, and what it gets, streamed or whole."""

import json
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

from tests.model_server.script import Conversation, Reply, Tool

Json = dict[str, Any]

_ROUTING = {
    "reasoning": "easy",
    "model_choice": "flash",
    "complexity_reasoning": "easy",
    "complexity_score": 1,
    "next_speaker": "user",
}

ENDING = 1
"""Events at the end of a stream that carry no content."""


def read(body: Json) -> Conversation:
    """Return the conversation of a request."""
    contents: list[Json] = body.get("contents", [])
    newest = max((n for n, each in enumerate(contents) if "SCENARIO:" in _text(each)), default=-1)
    declared = [each for tools in body.get("tools") or [] for each in tools.get("functionDeclarations", [])]
    return Conversation(
        user_texts=tuple(_text(each) for each in contents),
        tool_answered=any(
            "functionResponse" in part for each in contents[newest + 1 :] for part in each["parts"]
        ),
        tools=tuple(_tool(each) for each in declared),
        tool_texts=tuple(
            json.dumps(part["functionResponse"]["response"])
            for each in contents[newest + 1 :]
            for part in each["parts"]
            if "functionResponse" in part
        ),
    )


def stream(reply: Reply) -> Iterator[Json]:
    """Yield the pieces of a reply."""
    for word in reply.words:
        yield _piece(reply, [{"text": word}])
    if reply.tool is not None:
        call = {"id": f"call-{uuid4().hex}", "name": reply.tool, "args": dict(reply.arguments)}
        yield _piece(reply, [{"functionCall": call}])
    yield _piece(reply, [{"text": ""}], "STOP")


def whole(reply: Reply, body: Json) -> Json:
    """Return the answer to a side call: JSON if the request has a schema, such as to choose a model."""
    wants_json = "responseMimeType" in body.get("generationConfig", {})
    text = json.dumps(_ROUTING) if wants_json else "A summary."
    return _piece(reply, [{"text": text}], "STOP")


def _piece(reply: Reply, parts: list[Json], finish_reason: str | None = None) -> Json:
    candidate: Json = {"index": 0, "content": {"role": "model", "parts": parts}}
    if finish_reason is not None:
        candidate["finishReason"] = finish_reason
    used = reply.usage
    usage = {
        "promptTokenCount": used.input,
        "cachedContentTokenCount": used.cached,
        "candidatesTokenCount": used.output,
        "totalTokenCount": used.total,
    }
    return {"candidates": [candidate], "usageMetadata": usage, "responseId": reply.id}


def _text(content: Json) -> str:
    if content.get("role") != "user":
        return ""
    return "\n".join(str(part.get("text") or "") for part in content["parts"])


def _tool(declaration: Json) -> Tool:
    schema: Json = declaration.get("parametersJsonSchema") or declaration.get("parameters") or {}
    return Tool(declaration["name"], tuple(schema.get("required", ())), tuple(schema.get("properties", ())))
