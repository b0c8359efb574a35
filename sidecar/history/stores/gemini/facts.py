"""What the list needs of a message of Gemini CLI. Pure."""

import re
from collections.abc import Iterable
from typing import Any, Final, Literal

import msgspec

from sidecar.history.stored.parsing import value_of
from sidecar.history.stores.gemini.records import Message
from sidecar.history.stores.sessions.session import End
from sidecar.history.stores.sessions.usage import Usage, tokens
from sidecar.history.stores.sessions.values import line, text

Speaker = Literal["person", "model", "product"]
_COMMAND: Final = re.compile(r"[/?](?:[A-Za-z][\w:-]{0,63})?(?:\s|$)")
"""A command of the product, such as `/stats`; a path continues with another slash."""
_WRAPPERS: Final = ("<session_context>", "<state_snapshot>", "This is the Gemini CLI. We are setting up")
"""The starts of texts that the product writes in the user's name."""
_MAX_CHARS: Final = 20_000
"""How much of a prompt is kept, for the title."""
_CANCELLED: Final = re.compile(r"(?i)request cancelled|cancell?ed by (?:the )?user|user cancell?ed")


class Fact(msgspec.Struct, gc=False, frozen=True):
    """What a list needs of one message. `end` is None if the message does not change how the session ends."""

    speaker: Speaker
    prompt: str | None = None
    model: str | None = None
    used: Usage | None = None
    end: End | None = None
    calls: bool = False
    """Whether an answer calls tools."""

    @property
    def counts(self) -> bool:
        """Return whether the message is a typed prompt or an answer of the model."""
        return self.speaker == "model" or self.prompt is not None

    def continues(self, before: "Fact | None") -> bool:
        """Return whether this is the rest of the answer before: some versions record its calls apart."""
        if before is None or before.used is None or before.calls:
            return False
        return self.calls and self.used is None


def count(facts: Iterable[Fact]) -> int:
    """Count the typed prompts and the answers among messages in their order."""
    before, found = None, 0
    for fact in facts:
        found += fact.counts and not fact.continues(before)
        before = fact
    return found


def fact_of(message: Message) -> Fact:
    """Judge one message."""
    if message.type == "user":
        typed = prompt_of(message)
        return Fact("person", typed, end="open" if typed is not None else None)
    if message.type == "gemini":
        used = usage_of(message.tokens)
        calls = _calls(message)
        return Fact(
            "model", None, text(message.model), used, _end_of_answer(message, used, calls), bool(calls)
        )
    return Fact("product", end=_end_of_notice(message))


def prompt_of(message: Message) -> str | None:
    """Return the start of what a person typed; None for a command, a tool's result, or the product's text."""
    shown = plain_text(message.display_content) or plain_text(message.content)
    if not shown.strip() or is_wrapper(shown) or _COMMAND.match(shown):
        return None
    return shown[:_MAX_CHARS]


def is_wrapper(shown: str) -> bool:
    """Return whether the product wrote a text in the name of the user."""
    return shown.startswith(_WRAPPERS)


def plain_text(content: msgspec.Raw) -> str:
    """Return the text of a message's content: a text, or parts of which some have a text."""
    value = value_of(content)
    parts = value if isinstance(value, list) else [value]
    return "".join(map(_part_text, parts))


def usage_of(recorded: Any) -> Usage | None:
    """Read the tokens of an answer; None if they are not recorded.

    As recorded, `input` includes `cached`, and `thoughts` and `tool` are apart. There is no charge for
    writing to a cache.
    """
    if not isinstance(recorded, dict):
        return None
    known = {name: tokens(recorded.get(name)) for name in ("input", "output", "cached", "thoughts", "tool")}
    if known["input"] is None and known["output"] is None:
        return None
    given = {name: value or 0 for name, value in known.items()}
    cached = min(given["cached"], given["input"])
    return Usage(
        input=given["input"] - cached + given["tool"],
        output=given["output"] + given["thoughts"],
        cache_reads=cached,
        cache_writes=0,
    )


def _part_text(part: Any) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, dict) or part.get("thought"):
        return ""
    shown = part.get("text")
    return shown if isinstance(shown, str) else ""


def _calls(message: Message) -> list[Any]:
    calls = value_of(message.tool_calls)
    return calls if isinstance(calls, list) else []


def _end_of_answer(message: Message, used: Usage | None, calls: list[Any]) -> End:
    if calls:
        states = [call.get("status") for call in calls if isinstance(call, dict)]
        return "cancelled" if "cancelled" in states else "open"
    return "answered" if used is not None or line(plain_text(message.content)) else "open"


def _end_of_notice(message: Message) -> End | None:
    if message.type == "error":
        return "failed"
    if message.type == "info" and _CANCELLED.search(plain_text(message.content)):
        return "cancelled"
    return None
