"""Turn the facts of a session into what a list shows. Pure."""

from typing import Final, NamedTuple

from sidecar.api.stored.tasks import Problem, TokenUsage
from sidecar.history.stores.append_only.times import iso_ms
from sidecar.history.stores.by_model import ModelTokens, by_model
from sidecar.history.stores.codex.fold import Facts, State
from sidecar.history.stores.codex.sums import Figures
from sidecar.history.stores.sessions.session import End, Session

_ENDS: Final[dict[State, End]] = {
    "answered": "answered",
    "failed": "failed",
    "cancelled": "cancelled",
    "open": "open",
    "empty": "open",
}


class Place(NamedTuple):
    """The name of a session's file, its size in bytes, and what other files say of the session."""

    source: str
    size: int
    problems: list[Problem]
    name: str = ""
    name_source: str = ""
    parent: str = ""


def session_of(key: str, facts: Facts, place: Place) -> Session:
    """Describe a session."""
    messages = facts.messages
    parent = facts.parent or place.parent
    return Session(
        id=key,
        product="codex",
        end=_ENDS[messages.state],
        source=place.source,
        title=place.name or messages.title or facts.copied_title or facts.nickname,
        workspace_dir=facts.cwd or None,
        model=facts.model or None,
        created_at=iso_ms(facts.created),
        last_activity=iso_ms(facts.last),
        message_count=messages.prompts + messages.answers,
        usage=_usage(facts),
        size_bytes=place.size,
        is_child=facts.is_child or bool(place.parent),
        parent_id=parent or None,
        problems=place.problems,
        sources={"title": place.name_source if place.name else f"{place.source}: first prompt"},
    )


def _usage(facts: Facts) -> TokenUsage | None:
    """Return the own tokens. Codex counts tokens that caches read and wrote as input."""
    used = facts.usage
    if used is None:
        return None
    fresh = _fresh(used)
    return TokenUsage(
        total=fresh + used.made,
        input=fresh,
        output=used.made,
        cache_reads=used.read,
        cache_writes=used.written,
        by_model=by_model(
            (model, ModelTokens(_fresh(each), each.made, each.read, each.written))
            for model, each in facts.answers
        ),
    )


def _fresh(used: Figures) -> int:
    return max(0, used.given - used.read - used.written)
