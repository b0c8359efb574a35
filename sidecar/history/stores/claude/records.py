"""The members of Claude Code's records that matter; the others are skipped while decoding."""

from typing import Final

import msgspec

from sidecar.history.stores.append_only.records import LineDecoder

NOTHING: Final = msgspec.Raw(b"")
SYNTHETIC: Final = "<synthetic>"
"""The model of messages that Claude Code wrote itself without a request."""


class CacheCreation(msgspec.Struct, gc=False):
    """The tokens that were written to a cache, by the time for which it holds them."""

    ephemeral_1h_input_tokens: int | float | None = None


class Usage(msgspec.Struct, gc=False):
    """The tokens of one answer as recorded; `input_tokens` excludes both cache members."""

    input_tokens: int | float | None = None
    cache_creation_input_tokens: int | float | None = None
    cache_read_input_tokens: int | float | None = None
    output_tokens: int | float | None = None
    cache_creation: CacheCreation | None = None


class Message(msgspec.Struct, gc=False):
    """A message as the API of the model has it; members in the order of most lines are decoded faster."""

    model: str = ""
    id: str = ""
    content: msgspec.Raw = NOTHING
    stop_reason: str | None = None
    usage: Usage | None = None


class Record(msgspec.Struct, gc=False, rename="camel"):
    """One line; members in the order of most lines are decoded faster."""

    parent_uuid: str | None = None
    is_sidechain: bool = False
    cwd: str | None = None
    session_id: str | None = None
    type: str = ""
    message: Message | None = None
    request_id: str | None = None
    uuid: str = ""
    timestamp: str = ""
    tool_use_result: msgspec.Raw = NOTHING
    subtype: str | None = None
    content: str | None = None
    """The text of a system record."""
    is_meta: bool = False
    is_compact_summary: bool = False
    is_api_error_message: bool = False
    summary: str | None = None
    leaf_uuid: str | None = None
    custom_title: str | None = None
    ai_title: str | None = None
    cost_usd: float | None = msgspec.field(default=None, name="costUSD")
    forked_from: msgspec.Raw = NOTHING
    """The record of another session of which `/branch` made this one."""


class Block(msgspec.Struct, gc=False):
    """A part of a message's content, with what distinguishes a prompt from a result."""

    type: str = ""
    text: str | None = None


LINES: Final = LineDecoder(Record, reads_values=False)
BLOCKS: Final = msgspec.json.Decoder(list[Block])
