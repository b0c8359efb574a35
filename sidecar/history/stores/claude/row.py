"""Turn the facts of a session into what a list shows. Pure."""

from collections.abc import Collection
from operator import attrgetter
from typing import Final, NamedTuple

from sidecar.api.stored.tasks import ModelUsage, Problem, TokenUsage
from sidecar.history.stored.texts import one_line
from sidecar.history.stores.append_only.times import iso_ms
from sidecar.history.stores.by_model import ModelTokens, by_model
from sidecar.history.stores.claude.facts import Facts, State, Titles
from sidecar.history.stores.claude.records import Usage
from sidecar.history.stores.sessions.session import End, Session
from sidecar.history.stores.sessions.usage import sum_of_tokens, tokens

_ENDS: Final[dict[State, End]] = {
    "answered": "answered",
    "failed": "failed",
    "cancelled": "cancelled",
    "open": "open",
    "unclear": "open",
    "empty": "open",
}
_tokens_of: Final = attrgetter(
    "input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"
)


class Place(NamedTuple):
    """Where a session is: the name of its file, its size in bytes, and the session it belongs to."""

    source: str
    size: int
    problems: list[Problem]
    is_child: bool = False
    parent: str | None = None
    kept: bool = False


def session_of(key: str, facts: Facts, place: Place) -> Session:
    """Describe a session."""
    title, title_source = title_of(facts.titles, facts.uuids)
    return Session(
        id=key,
        product="claude",
        end=_ENDS[facts.state],
        source=place.source,
        title=title,
        workspace_dir=facts.cwd or facts.copied_cwd or None,
        model=facts.model or None,
        created_at=iso_ms(facts.first),
        last_activity=iso_ms(facts.last),
        message_count=facts.prompts + len(facts.answers),
        usage=usage_of(facts),
        size_bytes=place.size,
        is_child=place.is_child,
        parent_id=place.parent,
        kept=place.kept,
        problems=place.problems,
        sources={"title": f"{place.source}: {title_source}"},
    )


def title_of(titles: Titles, held: Collection[str]) -> tuple[str | None, str]:
    """Return the best title on one line, and the record it comes from; a summary names who holds its leaf."""
    summary = next((text for leaf, text in reversed(titles.summaries) if leaf in held), "")
    for text, source in (
        (titles.custom, "custom-title"),
        (titles.ai, "ai-title"),
        (summary, "summary"),
        (titles.prompt, "first prompt"),
        (titles.command, "first command"),
    ):
        if line := one_line(text):
            return line, source
    return None, "no prompt"


def usage_of(facts: Facts) -> TokenUsage | None:
    """Sum the answers; None if none of them has usage. Most versions record no cost."""
    used = [usage for usage in facts.answers.values() if usage is not None]
    if not used:
        return None
    given = sum_of_tokens([usage.input_tokens for usage in used])
    made = sum_of_tokens([usage.output_tokens for usage in used])
    reads = sum_of_tokens([usage.cache_read_input_tokens for usage in used])
    writes = sum_of_tokens([usage.cache_creation_input_tokens for usage in used])
    if given is made is reads is writes is None:
        return None
    has_cost = bool(facts.costs) and facts.costs.keys() == {
        key for key, usage in facts.answers.items() if usage is not None
    }
    long_writes = [_long_cache_writes(usage) for usage in used if usage.cache_creation is not None]
    return TokenUsage(
        total=given + made if given is not None and made is not None else None,
        input=given,
        output=made,
        cache_reads=reads,
        cache_writes=writes,
        long_cache_writes=sum_of_tokens(long_writes) or None,
        cost=sum(facts.costs.values()) if has_cost else None,
        by_model=_by_model(facts, has_cost) if facts.models else None,
    )


def _by_model(facts: Facts, with_cost: bool) -> list[ModelUsage] | None:
    return by_model(
        (
            facts.models.get(key, facts.first_model),
            _model_tokens(usage)._replace(cost=facts.costs.get(key) if with_cost else None),
        )
        for key, usage in facts.answers.items()
        if usage is not None
    )


def _model_tokens(used: Usage) -> ModelTokens:
    given, made, reads, writes = map(tokens, _tokens_of(used))
    return ModelTokens(given, made, reads, writes, long_cache_writes=_long_cache_writes(used))


def _long_cache_writes(used: Usage) -> int | None:
    """Return how many tokens a cache holds for an hour, of those that were written to it."""
    if used.cache_creation is None:
        return None
    long, writes = (
        tokens(used.cache_creation.ephemeral_1h_input_tokens),
        tokens(used.cache_creation_input_tokens),
    )
    return min(long, writes) if long is not None and writes is not None else None
