"""The true values of a generated session, and their comparison with a listed one."""

from dataclasses import dataclass, field
from datetime import UTC, datetime

from sidecar.api.stored.tasks import TaskInfo


@dataclass(slots=True)
class Truth:
    """The true values of one session; times in ms, None is unknown."""

    id: str
    title: str = ""
    created_at: int | None = None
    last_activity: int | None = None
    messages: int = 0
    usage: tuple[int, int, int, int] | None = None
    """Input, output, cache reads, cache writes."""
    status: str = "completed"
    outcome: str = "completed"
    parent: str | None = None
    model: str | None = None
    workspace: str | None = None
    problems: list[str] = field(default_factory=list)

    def matches(self) -> tuple[object, ...]:
        """Return the values in the order of `listed`."""
        return (
            self.id,
            self.title,
            self.created_at,
            self.last_activity,
            self.messages,
            self.usage,
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
        (usage.input, usage.output, usage.cache_reads, usage.cache_writes) if usage is not None else None,
        task.status,
        task.outcome,
        task.parent_id,
        task.model,
        task.workspace_dir,
        [problem.code for problem in task.problems],
    )


def iso(ms: int) -> str:
    """Write a time in ms as agents do."""
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{ms % 1000:03d}Z"
