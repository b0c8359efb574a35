"""The true values of a generated session, and their comparison with a listed one."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from sidecar.api.stored.tasks import ModelUsage, TaskInfo, TokenUsage
from sidecar.corpus.truth import Used, by_model


@dataclass(slots=True)
class Truth:
    """The true values of one session; times in ms, None is unknown."""

    id: str
    title: str = ""
    created_at: int | None = None
    last_activity: int | None = None
    messages: int = 0
    answers: list[tuple[str, Used]] = field(default_factory=list)
    """The model of each answer, and what it used."""
    status: str = "completed"
    outcome: str = "completed"
    parent: str | None = None
    model: str | None = None
    workspace: str | None = None
    problems: list[str] = field(default_factory=list)

    def used(self) -> Used | None:
        """Sum what all answers used; None without answers."""
        whole = Used()
        for _, used in self.answers:
            whole.add(used)
        return whole if self.answers else None

    def by_model(self) -> list[dict[str, Any]] | None:
        """Sum what the answers of each model used; None unless there are several models."""
        return by_model((model, used, 1) for model, used in self.answers)

    def matches(self) -> tuple[object, ...]:
        """Return the values in the order of `listed`."""
        return (
            self.id,
            self.title,
            self.created_at,
            self.last_activity,
            self.messages,
            used.tokens() if (used := self.used()) else None,
            self.by_model(),
            self.status,
            self.outcome,
            self.parent,
            self.model,
            self.workspace,
            self.problems,
        )


def listed(task: TaskInfo) -> tuple[object, ...]:
    """Return the values of a listed task that a truth states."""
    usage = task.token_usage
    return (
        task.id,
        task.title,
        task.created_at,
        task.last_activity,
        task.message_count,
        _tokens(usage) if usage is not None else None,
        [_of_model(each) for each in usage.by_model] if usage is not None and usage.by_model else None,
        task.status,
        task.outcome,
        task.parent_id,
        task.model,
        task.workspace_dir,
        [problem.code for problem in task.problems],
    )


def _of_model(usage: ModelUsage) -> dict[str, Any]:
    return {"model": usage.model, "answers": usage.answers, **_tokens(usage)}


def _tokens(usage: TokenUsage | ModelUsage) -> dict[str, Any]:
    return {
        "input": usage.input,
        "output": usage.output,
        "cacheReads": usage.cache_reads,
        "cacheWrites": usage.cache_writes,
    }


def iso(ms: int) -> str:
    """Write a time in ms as agents do."""
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{ms % 1000:03d}Z"
