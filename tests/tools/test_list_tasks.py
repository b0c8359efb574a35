import threading
from collections.abc import Sequence
from typing import Any

import pytest

from sidecar.api.errors import InvalidParams, StorageError
from sidecar.api.stored.tasks import ListResult, Mode, Rules, TaskInfo
from sidecar.history.listing.selection import ListQuery
from sidecar.tools.list_tasks import ListTasksTool
from sidecar.tools.result import ToolError


def task(number: int) -> TaskInfo:
    return TaskInfo(
        id=f"task-{number}",
        title=f"Title {number}",
        status="completed",
        mode=Mode(),
        outcome="completed",
        root="/r",
        product="roo",
        size_bytes=1,
        problems=[],
    )


DESCRIPTION = (
    "## list_tasks\n"
    "Description: Request to list all stored tasks with comprehensive details including metadata, status, "
    "and usage statistics. This tool provides information about task history, current status, mode "
    "information, and resource usage.\n"
    "\n"
    "Parameters:\n"
    "- filter: (optional) Filter text to search within task titles, IDs, modes, or status\n"
    "\n"
    "Usage:\n"
    "<list_tasks>\n"
    "<filter>optional filter text</filter>\n"
    "</list_tasks>\n"
    "\n"
    "Examples:\n"
    "\n"
    "1. List all tasks:\n"
    "<list_tasks>\n"
    "</list_tasks>\n"
    "\n"
    '2. Filter tasks containing "debug":\n'
    "<list_tasks>\n"
    "<filter>debug</filter>\n"
    "</list_tasks>\n"
    "\n"
    "3. Filter by status:\n"
    "<list_tasks>\n"
    "<filter>completed</filter>\n"
    "</list_tasks>"
)
"""The words of the requirements."""


class Tasks:
    """Stored tasks in memory that write down how they were asked."""

    def __init__(self, size: int, error: Exception | None = None) -> None:
        self.tasks = [task(number) for number in range(size)]
        self.error = error
        self.asked: dict[str, Any] = {}
        self.thread: threading.Thread | None = None

    def list(
        self, filter: str | None = None, rules: Rules = "structural", query: str | None = None
    ) -> Sequence[TaskInfo]:
        self.asked = {"filter": filter, "rules": rules}
        return self.tasks

    def page(self, query: ListQuery) -> ListResult:
        self.thread = threading.current_thread()
        names = ("filter", "rules", "limit", "cursor")
        self.asked = {name: getattr(query, name) for name in names}
        if self.error:
            raise self.error
        start, size = int(query.cursor or 0), len(self.tasks)
        end = start + query.limit
        return ListResult(
            items=self.tasks[start:end],
            total=size,
            matched=size,
            counts={"completed": size},
            next_cursor=str(end) if end < size else None,
            revision=1,
        )


async def test_fifty_tasks_are_listed_and_the_way_on_is_named() -> None:
    result = await ListTasksTool(Tasks(120)).execute({})
    assert result.llm_content.count("### Task: ") == 50
    assert "Total: 120 tasks (120 completed)" in result.llm_content
    assert 'cursor "50"' in result.llm_content.splitlines()[-1]
    assert result.metadata == {"shown": 50, "matched": 120, "nextCursor": "50"}


async def test_the_last_page_names_no_cursor() -> None:
    result = await ListTasksTool(Tasks(3)).execute({"cursor": "1", "limit": 2, "filter": "title"})
    assert result.llm_content.count("### Task: ") == 2 and "cursor" not in result.llm_content
    assert result.error is None and result.return_display == result.llm_content


async def test_guide_lists_everything_without_a_limit() -> None:
    history = Tasks(120)
    result = await ListTasksTool(history, "guide").execute({"filter": "x"})
    assert history.asked == {"filter": "x", "rules": "guide"}
    assert result.llm_content.count("### Task: ") == 120


async def test_guide_keeps_to_a_limit_that_is_given() -> None:
    history = Tasks(120)
    await ListTasksTool(history, "guide").execute({"limit": 5})
    assert history.asked == {"filter": None, "rules": "guide", "limit": 5, "cursor": None}


async def test_an_empty_filter_is_none_and_null_is_absent() -> None:
    history = Tasks(0)
    result = await ListTasksTool(history).execute({"filter": "", "limit": None})
    assert (history.asked["filter"], result.llm_content) == (None, "No tasks found in storage")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "The arguments must be an object."),
        ({"fliter": "x"}, "Unknown parameter 'fliter'. Known parameters: filter, query, limit, cursor."),
        ({"filter": 5}, "Parameter 'filter' must be a string."),
        ({"limit": "5"}, "Parameter 'limit' must be a whole number from 1 to 20000."),
        ({"limit": True}, "Parameter 'limit' must be a whole number from 1 to 20000."),
        ({"limit": 0}, "Parameter 'limit' must be a whole number from 1 to 20000."),
        ({"limit": 20_001}, "Parameter 'limit' must be a whole number from 1 to 20000."),
        ({"cursor": []}, "Parameter 'cursor' must be a string."),
    ],
)
async def test_a_bad_argument_is_refused_by_name(arguments: object, message: str) -> None:
    result = await ListTasksTool(Tasks(1)).execute(arguments)
    assert result.error == ToolError(message, "PARAMETER_VALIDATION")
    assert result.llm_content == result.error.message


@pytest.mark.parametrize(
    ("error", "kind"),
    [(InvalidParams("bad cursor"), "PARAMETER_VALIDATION"), (StorageError("no disk"), "EXECUTION_FAILED")],
)
async def test_what_the_history_refuses_is_an_error_of_the_tool(error: Exception, kind: str) -> None:
    result = await ListTasksTool(Tasks(1, error)).execute({})
    assert result.error == ToolError(str(error), kind)


async def test_reading_does_not_block_the_loop() -> None:
    history = Tasks(1)
    await ListTasksTool(history).execute({})
    assert history.thread is not None and history.thread is not threading.main_thread()


def test_the_tool_describes_itself_and_a_call() -> None:
    tool = ListTasksTool(Tasks(0))
    assert (tool.name, tool.display_name) == ("list_tasks", "list tasks")
    assert (tool.describe({}), tool.describe({"filter": "x"})) == ("[list_tasks]", "[list_tasks filter: x]")
    assert (tool.description, tool.kind) == (DESCRIPTION, "read")
    assert set(tool.parameter_schema["properties"]) == {"filter", "query", "limit", "cursor"}
