"""The values of one session, from all files that hold it. Pure."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from sidecar.api.stored.tasks import Product
from sidecar.history.stores.gemini.chat import Chat
from sidecar.history.stores.gemini.facts import Fact, count
from sidecar.history.stores.sessions.session import Session
from sidecar.history.stores.sessions.times import iso_ms
from sidecar.history.stores.sessions.usage import CountedOnce
from sidecar.history.stores.sessions.values import line

FactChat = Chat[Fact]
T = TypeVar("T")


def session_of(
    key: str,
    product: Product,
    chats: Sequence[FactChat],
    workspaces: Mapping[str, str],
    size_bytes: int,
    parent: str | None,
) -> Session:
    """Return what a list shows of a session.

    `workspaces` has the folder of each chat's project by the chat's name, if known. `parent` is the ID of the
    parent of a child session, "" if it is not known, and None for other sessions.
    """
    chats = ordered(chats)
    messages = merged(chats, _output)
    found = Session(
        id=key,
        product=product,
        end=next((fact.end for fact in reversed(messages.values()) if fact.end is not None), "open"),
        source=chats[-1].name,
        model=next((fact.model for fact in reversed(messages.values()) if fact.model), None),
        message_count=count(messages.values()),
        size_bytes=size_bytes,
        is_child=parent is not None,
        parent_id=parent or None,
        problems=[each for chat in chats for each in chat.problems],
    )
    _set_title(found, chats, messages)
    _set_workspace(found, chats, workspaces)
    _set_times(found, chats)
    counted = CountedOnce()
    for name, fact in messages.items():
        if fact.used is not None:
            counted.add(name, fact.used, fact.model)
    found.usage = counted.total()
    return found


def merged(chats: Sequence[Chat[T]], output: Callable[[T], int]) -> dict[str, T]:
    """Return the messages of a session by ID, in order, each once; `output` is that of an answer.

    A session is in several files if it was resumed or its folder was copied. Of an answer in several files,
    the one with the largest output counts. A message that one file takes back counts nowhere.
    """
    found: dict[str, T] = {}
    for place, chat in enumerate(chats):
        for name, message in chat.messages.items():
            name = f"{name}\0{place}" if name.startswith("\0") else name
            if (known := found.get(name)) is None or output(message) >= output(known):
                found[name] = message
        for name in chat.removed:
            found.pop(name, None)
    return found


def ordered(chats: Sequence[Chat[T]]) -> list[Chat[T]]:
    """Sort the files of a session by their last update, oldest first."""
    return sorted(chats, key=lambda chat: (iso_ms(chat.metadata.get("last_updated")) or 0, chat.last or 0))


def _output(fact: Fact) -> int:
    return fact.used.output or 0 if fact.used is not None else -1


def _set_title(found: Session, chats: Sequence[FactChat], messages: Mapping[str, Fact]) -> None:
    for chat in reversed(chats):
        if title := line(chat.metadata.get("summary")):
            found.title, found.sources["title"] = title, f"the summary in {chat.name}"
            return
    prompt = next((fact.prompt for fact in messages.values() if fact.prompt), None)
    found.title, found.sources["title"] = prompt, f"the first prompt in {chats[0].name}"


def _set_workspace(found: Session, chats: Sequence[FactChat], workspaces: Mapping[str, str]) -> None:
    for chat in chats:
        if known := workspaces.get(chat.name):
            found.workspace_dir, found.sources["workspaceDir"] = known, "the folder of the project"
            return
    for chat in chats:
        if first := _first_text(chat.metadata.get("directories")):
            found.workspace_dir, found.sources["workspaceDir"] = first, f"directories in {chat.name}"
            return


def _first_text(values: object) -> str | None:
    texts = (each for each in (values if isinstance(values, list) else ()) if isinstance(each, str) and each)
    return next(texts, None)


def _set_times(found: Session, chats: Sequence[FactChat]) -> None:
    starts = [at for chat in chats if (at := iso_ms(chat.metadata.get("start_time"))) is not None]
    found.created_at = min(starts or [chat.first for chat in chats if chat.first is not None], default=None)
    found.last_activity = max((chat.last for chat in chats if chat.last is not None), default=None)
