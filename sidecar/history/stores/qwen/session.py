"""The values of one session of Qwen Code, from all files that hold it. Pure."""

from collections.abc import Sequence

from sidecar.history.stores.qwen.records import ChatFold, Fact, output_of
from sidecar.history.stores.sessions.session import End, Session
from sidecar.history.stores.sessions.usage import CountedOnce


def session_of(key: str, source: str, chats: Sequence[ChatFold]) -> Session:
    """Return what a list shows of a session; `chats` are its files, in any order."""
    chats = sorted(chats, key=lambda chat: (chat.last or 0, len(chat.facts)))
    facts = merged(chats)
    known = [*facts.values()]
    counted = CountedOnce()
    for uuid, fact in facts.items():
        if fact.used is not None:
            counted.add(uuid, fact.used, fact.model)
    return Session(
        id=key,
        product="qwen",
        end=_end(known),
        source=source,
        title=next((fact.prompt for fact in known if fact.prompt), None),
        workspace_dir=next((chat.workspace for chat in chats if chat.workspace), None),
        model=next((fact.model for fact in reversed(known) if fact.model), None),
        created_at=min((chat.first for chat in chats if chat.first is not None), default=None),
        last_activity=max((chat.last for chat in chats if chat.last is not None), default=None),
        message_count=sum(
            fact.is_answer or (fact.prompt is not None and not fact.is_copied) for fact in known
        ),
        usage=counted.total(),
        sources={"title": f"the first prompt in {source}"},
    )


def _end(facts: Sequence[Fact]) -> End:
    """Return how a session ended: an answer that was broken off has no tokens, unlike others of its model."""
    last = next((fact for fact in reversed(facts) if fact.end is not None), None)
    if last is None or last.end is None:
        return "open"
    tells_tokens = any(fact.used is not None and fact.model == last.model for fact in facts)
    is_cut = last.end == "answered" and last.used is None and tells_tokens
    return "open" if is_cut else last.end


def merged(chats: Sequence[ChatFold]) -> dict[str, Fact]:
    """Return the records by `uuid`, each once: a folder that was renamed leaves copies."""
    found: dict[str, Fact] = {}
    for place, chat in enumerate(chats):
        for uuid, fact in chat.facts.items():
            name = f"{uuid}\0{place}" if uuid.startswith("\0") else uuid
            if (known := found.get(name)) is None or output_of(fact) >= output_of(known):
                found[name] = fact
    return found
