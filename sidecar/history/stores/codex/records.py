"""The members of Codex' records that matter; the others are skipped while decoding."""

from typing import Final

import msgspec

from sidecar.history.stores.append_only.records import LineDecoder

NOTHING: Final = msgspec.Raw(b"")


class Tokens(msgspec.Struct, gc=False):
    """A sum over the session; `input_tokens` includes those of caches, `output_tokens` those of reasoning."""

    input_tokens: int = 0
    cached_input_tokens: int = 0
    cache_write_input_tokens: int = 0
    output_tokens: int = 0


class TokenInfo(msgspec.Struct, gc=False):
    """The usage that a `token_count` event reports."""

    total_token_usage: Tokens | None = None
    last_token_usage: Tokens | None = None
    """Those of the last answer alone."""


class Item(msgspec.Struct, gc=False):
    """What an `item_completed` event is about."""

    type: str = ""
    id: msgspec.Raw = NOTHING
    status: msgspec.Raw = NOTHING
    content: msgspec.Raw = NOTHING
    summary_text: msgspec.Raw = NOTHING


class Payload(msgspec.Struct, gc=False):
    """The content of a record; each type has some of these members."""

    type: str = ""
    id: str | None = None
    timestamp: str | None = None
    cwd: str | None = None
    source: msgspec.Raw = NOTHING
    forked_from_id: str | None = None
    parent_thread_id: str | None = None
    agent_nickname: str | None = None
    turn_id: str | None = None
    thread_id: str | None = None
    """The session of a `token_usage_record`."""
    usage: msgspec.Raw = NOTHING
    """The tokens of one answer, in a `token_usage_record`."""
    model: str | None = None
    kind: str | None = None
    message: str | None = None
    text: str | None = None
    last_agent_message: str | None = None
    error: msgspec.Raw = NOTHING
    """Why a turn failed, in its `task_complete` event."""
    info: TokenInfo | None = None
    role: str | None = None
    content: msgspec.Raw = NOTHING
    name: str | None = None
    call_id: str | None = None
    arguments: msgspec.Raw = NOTHING
    input: msgspec.Raw = NOTHING
    action: msgspec.Raw = NOTHING
    output: msgspec.Raw = NOTHING
    success: msgspec.Raw = NOTHING
    item: Item | None = None


class Record(msgspec.Struct, gc=False):
    """One line. The first versions wrote the content without an envelope: `payload` is absent."""

    timestamp: str = ""
    type: str = ""
    payload: Payload | None = None
    id: str | None = None
    role: str | None = None
    content: msgspec.Raw = NOTHING
    name: str | None = None
    call_id: str | None = None
    arguments: msgspec.Raw = NOTHING
    output: msgspec.Raw = NOTHING


class Part(msgspec.Struct, gc=False):
    """A part of a message's content."""

    type: str = ""
    text: str | None = None


LINES: Final = LineDecoder(Record)
PARTS: Final = msgspec.json.Decoder(list[Part])
