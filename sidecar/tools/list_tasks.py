"""The model's `list_tasks` tool: stored tasks as text."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from sidecar.api.errors import InvalidParams, SidecarError
from sidecar.api.model import ToolKind
from sidecar.api.stored.tasks import MAX_PAGE, Rules, TaskInfo
from sidecar.history.listing.selection import ListQuery
from sidecar.history.listing.text import format_tasks
from sidecar.tools.arguments import BadArgument, check_names, refuse, shown_text
from sidecar.tools.arguments import text as string
from sidecar.tools.result import ToolError, ToolResult

DEFAULT_LIMIT = 50
"""How many tasks one result lists under the structural rules: about 15,000 characters."""

DESCRIPTION = """\
## list_tasks
Description: Request to list all stored tasks with comprehensive details including metadata, status, \
and usage statistics. This tool provides information about task history, current status, mode information, \
and resource usage.

Parameters:
- filter: (optional) Filter text to search within task titles, IDs, modes, or status

Usage:
<list_tasks>
<filter>optional filter text</filter>
</list_tasks>

Examples:

1. List all tasks:
<list_tasks>
</list_tasks>

2. Filter tasks containing "debug":
<list_tasks>
<filter>debug</filter>
</list_tasks>

3. Filter by status:
<list_tasks>
<filter>completed</filter>
</list_tasks>"""
"""The requirements fix this wording, which models know."""

_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "filter": {
            "type": "string",
            "description": "Filter text to search within task titles, IDs, modes, or status",
        },
        "query": {
            "type": "string",
            "description": "Terms that must all match, such as: status:failed,abandoned mode:code cost>0.5 "
            'since:7d file:src/app.py -draft "exact words"; OR and parentheses work',
        },
        "limit": {
            "type": "integer",
            "minimum": 1,
            "maximum": MAX_PAGE,
            "description": f"Maximum number of tasks in one answer (default {DEFAULT_LIMIT})",
        },
        "cursor": {
            "type": "string",
            "description": "The cursor at the end of the previous answer, to continue from there",
        },
    },
    "additionalProperties": False,
}


class TaskPage(Protocol):
    """The part of a page that the tool uses."""

    @property
    def items(self) -> Sequence[TaskInfo]:
        """The tasks."""

    matched: int
    counts: dict[str, int]
    next_cursor: str | None


class History(Protocol):
    """The stored tasks, as far as the tool uses them. Both methods block and may raise SidecarError."""

    def list(
        self, filter: str | None = None, rules: Rules = "structural", query: str | None = None
    ) -> Sequence[TaskInfo]:
        """Return every task that matches the filter and the query, in order."""

    def page(self, query: ListQuery) -> TaskPage:
        """Return one page of these tasks."""


class ListTasksTool:
    """List stored tasks for a model. One instance serves any number of calls."""

    name = "list_tasks"
    display_name = "list tasks"
    kind: ToolKind = "read"
    description = DESCRIPTION
    parameter_schema = _SCHEMA

    def __init__(self, history: History, rules: Rules | None = None) -> None:
        self._history = history
        self._rules: Rules = rules or "structural"

    def describe(self, arguments: object) -> str:
        """Describe a call in one line, for the person who approves it."""
        wanted = shown_text(arguments, "filter")
        return f"[{self.name} filter: {wanted}]" if wanted else f"[{self.name}]"

    async def execute(self, arguments: object) -> ToolResult:
        """List tasks. Invalid arguments give PARAMETER_VALIDATION, unreadable storage EXECUTION_FAILED."""
        try:
            return await asyncio.to_thread(self._list, _checked(arguments))
        except BadArgument as error:
            return refuse(error)
        except InvalidParams as error:
            return _failed(error.message, "PARAMETER_VALIDATION")
        except SidecarError as error:
            return _failed(error.message, "EXECUTION_FAILED")

    def _list(self, arguments: Mapping[str, Any]) -> ToolResult:
        limit, cursor = arguments.get("limit"), arguments.get("cursor")
        # An empty filter or query counts as absent.
        wanted = {name: arguments[name] for name in ("filter", "query") if arguments.get(name)}
        named = " ".join(wanted.values()) or None
        if self._rules == "guide" and limit is None and cursor is None:
            tasks = self._history.list(rules="guide", **wanted)
            return _answer(format_tasks(tasks, named, "guide"), {"shown": len(tasks), "matched": len(tasks)})
        query = ListQuery(**wanted, rules=self._rules, limit=limit or DEFAULT_LIMIT, cursor=cursor)
        page = self._history.page(query)
        partial = len(page.items) < page.matched
        text = format_tasks(page.items, named, self._rules, page.counts if partial else None)
        facts: dict[str, Any] = {"shown": len(page.items), "matched": page.matched}
        if page.next_cursor is not None:
            facts["nextCursor"] = page.next_cursor
            text += (
                f"More tasks remain: {len(page.items)} of {page.matched} are shown here. "
                f'Call {self.name} with cursor "{page.next_cursor}" for the next ones.\n'
            )
        return _answer(text, facts)


def _checked(arguments: object) -> Mapping[str, Any]:
    """Return the arguments, checked against the schema; null counts as absent."""
    given = check_names(arguments, _SCHEMA["properties"])
    for name in given:
        if name != "limit":
            string(given, name)
    limit = given.get("limit")
    if limit is not None and (type(limit) is not int or not 1 <= limit <= MAX_PAGE):
        raise BadArgument(f"Parameter 'limit' must be a whole number from 1 to {MAX_PAGE}.")
    return given


def _answer(text: str, facts: dict[str, Any]) -> ToolResult:
    return ToolResult(llm_content=text, return_display=text, metadata=facts)


def _failed(message: str, kind: str) -> ToolResult:
    return ToolResult(llm_content=message, return_display=message, error=ToolError(message, kind))
