"""Replaying a chat of Gemini CLI, compared with a plain model of the same operations."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.history.stores.gemini.chat import Chat
from sidecar.history.stores.gemini.records import Message

IDS = st.sampled_from("abcdefgh")
OPERATIONS = st.lists(
    st.one_of(
        st.tuples(st.just("message"), IDS, st.text(max_size=5)),
        st.tuples(st.just("rewind"), IDS),
        st.tuples(st.just("all"), st.lists(IDS, unique=True, max_size=4)),
        st.tuples(st.just("summary"), st.text(max_size=5)),
    ),
    max_size=30,
)


def line_of(operation: tuple[Any, ...]) -> dict[str, Any]:
    match operation:
        case ("message", name, text):
            return {"id": name, "type": "user", "content": text}
        case ("rewind", name):
            return {"$rewindTo": name}
        case ("all", names):
            return {"$set": {"messages": [{"id": name, "type": "user", "content": "new"} for name in names]}}
    return {"$set": {"summary": operation[1]}}


def replayed(operations: list[tuple[Any, ...]]) -> dict[str, str]:
    """Apply the operations to a list of pairs."""
    pairs: list[tuple[str, str]] = []
    for operation in operations:
        match operation:
            case ("message", name, text) if name in dict(pairs):
                pairs = [(each, text if each == name else old) for each, old in pairs]
            case ("message", name, text):
                pairs.append((name, text))
            case ("rewind", name):
                names = [each for each, _ in pairs]
                pairs = pairs[: names.index(name)] if name in names else []
            case ("all", names):
                pairs = [(name, "new") for name in names]
    return dict(pairs)


def text_of(message: Message) -> str:
    return str(json.loads(bytes(message.content)))


@given(OPERATIONS)
@settings(deadline=None)
def test_the_messages_left_are_those_of_the_model(operations: list[tuple[Any, ...]]) -> None:
    lines = [{"sessionId": "s", "startTime": "2026-01-02T03:04:05.000Z"}, *map(line_of, operations)]
    chat = Chat("chat", text_of)
    chat.read("".join(json.dumps(line) + "\n" for line in lines).encode())
    expected = replayed(operations)
    assert list(chat.messages.items()) == list(expected.items())
    assert not chat.removed & expected.keys()
    assert chat.problems == []


@given(st.binary(max_size=400))
@settings(deadline=None)
def test_any_bytes_are_read(data: bytes) -> None:
    chat = Chat("chat", lambda message: message)
    chat.read(data)
    assert chat.metadata.keys() <= {
        "session_id",
        "start_time",
        "last_updated",
        "summary",
        "kind",
        "directories",
    }
