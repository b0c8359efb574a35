"""What a session of opencode or Kilo shows in a list. Pure."""

import re
from collections.abc import Sequence
from typing import Final

from sidecar.api.stored.tasks import Product
from sidecar.history.stores.opencode.content import Content, Json, Message, member, text
from sidecar.history.stores.sessions.session import End, Session
from sidecar.history.stores.sessions.usage import CountedOnce, Usage, dollars, tokens

_DEFAULT_TITLE: Final = re.compile(r"(?:New|Child) session - \d{4}-\d\d-\d\dT[\d:.]+Z(?: \(fork #\d+\))*")
_ENDED: Final = frozenset({"stop", "length", "content-filter"})
"""Reasons for which a model ends its turn; after others the agent continues."""
_ABORTED: Final = "MessageAbortedError"
_TYPED: Final = frozenset({"file", "agent", "subtask"})
"""Parts of a prompt that a person gave without words."""
_ASKS: Final = "question"
"""The tool by which an agent asks its user."""
_FREE: Final = re.compile(r"[:\-]free$")
_LOCAL: Final = frozenset({"ollama", "lmstudio", "llama.cpp", "llamacpp", "vllm"})
"""Providers that run on the user's machine."""


def session_of(content: Content, product: Product) -> Session | None:
    """Describe a session; None if neither a person nor a model wrote anything, and nothing is damaged."""
    own = [message for message in content.messages if message.id not in content.copied]
    prompts = [message for message in content.messages if is_prompt(message)]
    answers = [message for message in content.messages if is_answer(message)]
    if not (prompts or answers or content.problems):
        return None
    header = content.header
    counted = CountedOnce()
    for message in own:
        if message.role == "assistant":
            counted.add(message.id, _usage(message, product), text(message.data, "modelID"))
    times = [at for message in own for at in (message.created, message.completed) if at is not None]
    latest = answers[-1].data if answers else {}
    return Session(
        id=header.id,
        product=product,
        end=_end(content.messages),
        source=content.source,
        title=_title(content, prompts),
        workspace_dir=header.directory or text(member(latest, "path"), "cwd"),
        model=text(latest, "modelID"),
        mode=text(latest, "agent", "mode"),
        created_at=header.created or min(times, default=None),
        last_activity=max([*times, *([header.updated] if header.updated else [])], default=None),
        message_count=sum(is_prompt(message) or is_answer(message) for message in own),
        usage=counted.total(),
        size_bytes=content.size,
        is_child=header.parent is not None,
        parent_id=header.parent,
        problems=list(content.problems),
    )


def is_prompt(message: Message) -> bool:
    """Return whether a person typed a message; the product's own texts are marked as synthetic."""
    if message.role != "user":
        return False
    kinds = {text(part.data, "type") for part in message.parts}
    return "compaction" not in kinds and (bool(prompt_text(message)) or not _TYPED.isdisjoint(kinds))


def is_answer(message: Message) -> bool:
    """Return whether a model answered: neither a summary of a compaction nor an error in its place."""
    if message.role != "assistant" or message.data.get("summary") is True:
        return False
    return not message.data.get("error") or any(
        part.data.get("type") in ("text", "reasoning", "tool") for part in message.parts
    )


def prompt_text(message: Message) -> str:
    """Return the words of a prompt."""
    texts = (
        part.data.get("text")
        for part in message.parts
        if part.data.get("type") == "text"
        and not (part.data.get("synthetic") is True or part.data.get("ignored") is True)
    )
    return "\n".join(words for words in texts if isinstance(words, str) and words.strip())


def _title(content: Content, prompts: Sequence[Message]) -> str | None:
    named = content.header.title
    if named and not _DEFAULT_TITLE.fullmatch(named.strip()):
        return named
    return next(filter(None, map(prompt_text, prompts)), None)


def _usage(message: Message, product: Product) -> Usage:
    recorded = member(message.data, "tokens")
    cache = member(recorded, "cache")
    made, thought = tokens(recorded.get("output")), tokens(recorded.get("reasoning"))
    return Usage(
        input=tokens(recorded.get("input")),
        output=None if made is None and thought is None else (made or 0) + (thought or 0),
        cache_reads=tokens(cache.get("read")),
        cache_writes=tokens(cache.get("write")),
        cost=_cost(message, product),
        is_free=_is_free(message),
    )


def _cost(message: Message, product: Product) -> float | None:
    """Return what an answer cost. Kilo adds the cost of subagents to it, but not to that of its steps."""
    kinds = [part.data.get("type") for part in message.parts]
    costs = [dollars(step.get("cost")) for step in _steps(message)] if product == "kilo" else []
    known = [cost for cost in costs if cost is not None]
    if known and len(known) == max(len(costs), kinds.count("step-start")):
        return sum(known)
    return dollars(message.data.get("cost"))


def _is_free(message: Message) -> bool:
    model, provider = text(message.data, "modelID"), text(message.data, "providerID")
    return bool(_FREE.search(model or "")) or (provider or "").casefold() in _LOCAL


def _end(messages: Sequence[Message]) -> End:
    """Return how the session ends, from the last message of a person or a model."""
    last = next((each for each in reversed(messages) if is_prompt(each) or each.role == "assistant"), None)
    if last is None or last.role != "assistant":
        return "open"
    error = member(last.data, "error")
    if error:
        return "cancelled" if error.get("name") == _ABORTED else "failed"
    tools = [part.data for part in last.parts if part.data.get("type") == "tool"]
    unanswered = [tool for tool in tools if member(tool, "state").get("status") in ("pending", "running")]
    if unanswered:
        return "waiting" if any(tool.get("tool") == _ASKS for tool in unanswered) else "open"
    finish = _finish(last)
    if finish is None:  # the first generation does not record it
        return "answered" if last.completed is not None and not tools else "open"
    if finish == "error":
        return "failed"
    return "answered" if last.completed is not None and finish in _ENDED else "open"


def _finish(message: Message) -> str | None:
    steps = _steps(message)
    return text(message.data, "finish") or (text(steps[-1], "reason") if steps else None)


def _steps(message: Message) -> list[Json]:
    """Return the records that end a step of an answer."""
    return [part.data for part in message.parts if part.data.get("type") == "step-finish"]
