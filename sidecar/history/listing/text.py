"""The text that `list_tasks` returns to a model, and its filter."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from sidecar.api.stored.tasks import Rules, TaskInfo, TokenUsage
from sidecar.javascript.dates import to_locale_string
from sidecar.javascript.values import group_digits, includes, to_fixed, to_lower, well_formed

TITLE_CHARACTERS = 100
"""The longest title or mode in a text for a model; the wire has the whole title."""

# Characters that could end a row, move the cursor or turn the reading direction: controls, line and
# paragraph separators, bidirectional marks, embeddings, overrides and isolates, and lone surrogates.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_SPACES = re.compile(r"\s+")


def format_tasks(
    tasks: Sequence[TaskInfo], filter: str | None, rules: Rules, counts: Mapping[str, int] | None = None
) -> str:
    """Render tasks in the given order as `list_tasks` does; `filter` is only mentioned, not applied.

    Under `guide` the text is the guide's, to the byte of its UTF-8 output, times in the process's zone.
    Under `structural` the layout is the same, unknown values have no line, and every value stays on its line
    with nothing in it that could forge another row. `counts` by status are those of all matching tasks, for
    a page that holds only some of them.
    """
    counts = counts or Counter(task.status for task in tasks)
    if rules == "guide":
        return well_formed(_render(filter, counts, map(_guide_rows, tasks)))
    return _render(filter and safe_line(filter), counts, map(_structural_rows, tasks))


def matches_filter(task: TaskInfo, filter: str, rules: Rules) -> bool:
    """Return whether the case-insensitive substring filter keeps the task; an empty filter keeps all.

    `guide` searches ID, title, mode and status; `structural` at the workspace too, and its title is whole.
    """
    part = to_lower(filter)
    values = [task.id, task.title, task.mode.current, task.mode.name, task.status]
    if rules == "structural":
        values.append(task.workspace_dir)
    return any(includes(to_lower(value), part) for value in values if value)


def safe_line(text: str) -> str:
    """Put a text on one line: white-space runs become a space, other unsafe characters U+FFFD."""
    return _UNSAFE.sub("\ufffd", _SPACES.sub(" ", text).strip())


def _render(filter: str | None, counts: Mapping[str, int], tasks: Iterable[list[str]]) -> str:
    total = sum(counts.values())
    if not total:
        return f'No tasks found matching filter "{filter}"' if filter else "No tasks found in storage"
    summary = ", ".join(f"{count} {status}" for status, count in counts.items() if count)
    lines = ["Available Tasks:", "", f"Total: {total} tasks ({summary})"]
    if filter:
        lines.append(f'Showing tasks matching filter "{filter}"')
    lines.append("")
    for rows in tasks:
        lines += [*rows, ""]
    return "\n".join(lines) + "\n"


def _guide_rows(task: TaskInfo) -> list[str]:
    return [
        f"### Task: {task.title} ({task.id})",
        f"- **Created**: {to_locale_string(task.created_at)}",
        f"- **Status**: {task.status.capitalize()}",
        *_mode_row(task.mode.current, task.mode.name),
        *_duration_row(task.duration),
        f"- **Messages**: {task.message_count or 0} messages",
        *_tokens_row(task.token_usage),
        *([f"- **Workspace**: {task.workspace_dir}"] if task.workspace_dir else []),
    ]


def _structural_rows(task: TaskInfo) -> list[str]:
    title = cut(safe_line(task.title), TITLE_CHARACTERS)
    rows = [f"### Task: {title} ({safe_line(task.id)})"]
    if task.created_at is not None:
        rows.append(f"- **Created**: {to_locale_string(task.created_at)}")
    rows.append(f"- **Status**: {task.status.capitalize()}")
    current, name = (safe_line(each or "") for each in (task.mode.current, task.mode.name))
    rows += _mode_row(cut(current, TITLE_CHARACTERS), cut(name, TITLE_CHARACTERS))
    rows += _duration_row(task.duration)
    if task.message_count is not None:
        rows.append(f"- **Messages**: {task.message_count} messages")
    rows += _tokens_row(task.token_usage)
    if task.workspace_dir:
        rows.append(f"- **Workspace**: {safe_line(task.workspace_dir)}")
    return rows


def cut(text: str, limit: int) -> str:
    """Cut a text to `limit` characters, the last three of them dots."""
    return text if len(text) <= limit else text[: limit - 3] + "..."


def _mode_row(current: str | None, name: str | None) -> list[str]:
    if not current:
        return []
    return [f"- **Mode**: {name} ({current})" if name else f"- **Mode**: {current}"]


def _duration_row(duration: int | float | None) -> list[str]:
    if not duration or math.isnan(duration):
        return []
    return [f"- **Duration**: {_duration(duration)}"]


def _duration(milliseconds: int | float) -> str:
    """Format a duration in its largest whole unit, as the guide does: `5 hours`."""
    seconds = math.floor(milliseconds / 1000)
    for size, unit in ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second")):
        count = seconds // size
        if count > 0 or size == 1:
            return f"{count} {unit}{'s' if count > 1 else ''}"
    raise AssertionError("unreachable: seconds are always returned")


def _tokens_row(usage: TokenUsage | None) -> list[str]:
    if usage is None or not usage.total or not usage.total > 0:
        return []
    cost = f" (${to_fixed(usage.cost, 2)})" if usage.cost and usage.cost > 0 else ""
    return [f"- **Tokens**: {group_digits(usage.total)} tokens{cost}"]
