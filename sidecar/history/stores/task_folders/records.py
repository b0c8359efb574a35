"""The stored records of all writers, as far as the extraction reads them.

Scalars are decoded as they come and judged where they are used: every new release adds kinds, and one
odd value must not cost a message. Bulky members stay undecoded (`Raw`) until they are needed. The garbage
collector skips the records, because JSON has no cycles.
"""

from collections.abc import Sequence
from typing import Any, Final, Protocol

import msgspec

from sidecar.history.stored.parsing import UNREADABLE, Parser, value_of


class UiMessage(msgspec.Struct, rename="camel", gc=False):
    """One element of `ui_messages.json`."""

    ts: Any = None
    type: Any = None
    say: Any = None
    ask: Any = None
    text: msgspec.Raw = msgspec.Raw()
    partial: Any = None
    images: msgspec.Raw = msgspec.Raw()
    model_info: msgspec.Raw = msgspec.Raw()
    context_condense: msgspec.Raw = msgspec.Raw()

    @property
    def kind(self) -> str | None:
        """The `say` or `ask` word, whichever the message carries."""
        word = self.ask if self.type == "ask" else self.say if self.say is not None else self.ask
        return word if isinstance(word, str) else None


def kinds_of(messages: Sequence[UiMessage]) -> list[str | None]:
    """List the kinds of many messages: like `kind`, in half the time."""
    return [
        word if type(word := one.ask if one.say is None or one.type == "ask" else one.say) is str else None
        for one in messages
    ]


class ApiRecord(Protocol):
    """One element of `api_conversation_history.json`, however much of it is decoded."""

    ts: Any
    role: Any
    model_info: msgspec.Raw

    @property
    def is_foreign(self) -> bool:
        """Return whether it has nothing that a product writes."""

    def blocks(self) -> list[dict[str, Any]]:
        """Return the blocks of the content, with at least their `type` and `text`; a text is one block."""

    def texts_with(self, word: str) -> list[str]:
        """Return the texts of the content that hold an ASCII word, and maybe others."""


class Block(msgspec.Struct, gc=False):
    """One block of an API message's content."""

    type: Any = None
    text: str | None = None


_blocks_decoder: Final = msgspec.json.Decoder(list[Block])


class ApiMessage(msgspec.Struct, rename="camel", gc=False):
    """An API message whose content is decoded when it is needed."""

    ts: Any = None
    role: Any = None
    content: msgspec.Raw = msgspec.Raw()
    model_info: msgspec.Raw = msgspec.Raw()

    @property
    def is_foreign(self) -> bool:
        """Return whether it has nothing that a product writes."""
        return self.role is None and not len(self.content) and self.ts is None

    def blocks(self) -> list[dict[str, Any]]:
        """Decode the content into blocks; odd elements are left out."""
        value = value_of(self.content)
        if isinstance(value, str):
            return [{"type": "text", "text": value}]
        return [block for block in value if isinstance(block, dict)] if isinstance(value, list) else []

    def texts_with(self, word: str) -> list[str]:
        """Decode the texts if one of them holds a word, which is mostly near the end."""
        if bytes(self.content).rfind(word.encode()) < 0:
            return []
        try:
            blocks = _blocks_decoder.decode(self.content)
        except UNREADABLE:
            texts = [block.get("text") for block in self.blocks() if block.get("type") == "text"]
            return [text for text in texts if isinstance(text, str)]
        return [block.text for block in blocks if block.text and block.type == "text"]


class Usage(msgspec.Struct, rename="camel", gc=False):
    """The JSON inside the text of a request message; a key appears when its value is known."""

    tokens_in: Any = None
    tokens_out: Any = None
    cache_writes: Any = None
    cache_reads: Any = None
    cost: Any = None
    cancel_reason: Any = None
    usage_missing: Any = None
    inference_provider: Any = None
    api_protocol: Any = None


class ListEntry(msgspec.Struct, rename="camel", gc=False):
    """One entry of a product's task list, wherever it is kept."""

    id: Any = None
    ts: Any = None
    task: Any = None
    tokens_in: Any = None
    tokens_out: Any = None
    cache_writes: Any = None
    cache_reads: Any = None
    total_cost: Any = None
    workspace: Any = None
    cwd_on_task_initialization: Any = None
    mode: Any = None
    status: Any = None
    root_task_id: Any = None
    parent_task_id: Any = None
    child_ids: Any = None
    is_favorited: Any = None
    model_id: Any = None
    tool_protocol: Any = None
    product: Any = None
    outcome: Any = None
    session_task_id: Any = None


class TaskMetadata(msgspec.Struct):
    """What `task_metadata.json` has: models used (Cline), files with dates, and by its keys the product."""

    files_in_context: msgspec.Raw = msgspec.Raw()
    model_usage: Any = None
    environment_history: Any = None


ui_parser: Final = Parser(UiMessage)
api_parser: Final[Parser[ApiRecord]] = Parser(ApiMessage)
