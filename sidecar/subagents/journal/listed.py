"""The part of a run that lists contain: everything but variables that would make a list too long."""

from typing import Any, Final

from msgspec.structs import replace

from sidecar.api.runs.async_tasks import AsyncTask
from sidecar.subagents.journal import codec

LISTED_BYTES: Final = 16 * 1024
"""About how many bytes of one run's variables a list contains: of its output, and of its partial result."""
_ENTRY_BYTES: Final = 4
"""Quotes, colon and comma."""


def listed(task: AsyncTask) -> AsyncTask:
    """Return a run as lists and notifications contain it: with as many of its newest variables as fit.

    `omitted_vars` counts the others. The argument is not changed.
    """
    output, partial = task.output, task.partial
    of_output = {} if output is None else output.get("emitted_vars") or {}
    of_partial = {} if partial is None else partial.emitted_vars
    few_of_output, few_of_partial = _newest(of_output), _newest(of_partial)
    omitted = max(len(of_output) - len(few_of_output), len(of_partial) - len(few_of_partial))
    if not omitted:
        return task
    return replace(
        task,
        output=output and {**output, "emitted_vars": few_of_output},
        partial=partial and replace(partial, emitted_vars=few_of_partial),
        omitted_vars=omitted,
    )


def _newest(variables: dict[str, Any]) -> dict[str, Any]:
    """Return the newest variables that fit, in their order; a large one does not hide older ones."""
    left = LISTED_BYTES
    kept: list[tuple[str, Any]] = []
    for name, value in reversed(variables.items()):
        size = len(name) + len(codec.encode(value)) + _ENTRY_BYTES
        if size <= left:
            left -= size
            kept.append((name, value))
    return dict(reversed(kept))
