"""The model's tool over real folders."""

from collections.abc import Callable
from typing import Any

from sidecar.history.listing.selection import ListQuery
from sidecar.tools.list_tasks import ListTasksTool
from tests.history.conftest import NOW, Store

Make = Callable[..., dict[str, Any]]


def fill(store: Store, say: Make, count: int) -> None:
    for number in range(count):
        task_id = f"{number:08x}-0000-4000-8000-000000000000"
        store.write(ui=[say("text", f"task {number}", ts=NOW - number)], api=[], task_id=task_id)


async def test_list_tasks_lists_what_is_stored(store: Store, say: Make) -> None:
    fill(store, say, 3)
    result = await ListTasksTool(store.history).execute({"filter": "task 1"})
    assert result.error is None and "### Task: task 1 (" in result.llm_content
    assert "task 2" not in result.llm_content


async def test_list_tasks_pages_to_the_end(store: Store, say: Make) -> None:
    fill(store, say, 5)
    tool, cursor, seen = ListTasksTool(store.history), None, []
    for _ in range(3):
        page = store.history.page(ListQuery(limit=2, cursor=cursor))
        result = await tool.execute({"limit": 2} | ({"cursor": cursor} if cursor else {}))
        seen += [task.title for task in page.items if f"### Task: {task.title} (" in result.llm_content]
        cursor = page.next_cursor
    assert seen == [f"task {number}" for number in range(5)] and cursor is None


async def test_a_query_keeps_tasks_and_is_named(store: Store, say: Make) -> None:
    store.write(ui=[say("text", "task one")], api=[])
    tool = ListTasksTool(store.history)
    assert "### Task: task one" in (await tool.execute({"query": "one -two"})).llm_content
    result = await tool.execute({"query": "status:failed", "filter": "one"})
    assert result.llm_content == 'No tasks found matching filter "one status:failed"'


async def test_an_error_in_a_query_is_an_error_of_the_arguments(store: Store) -> None:
    result = await ListTasksTool(store.history).execute({"query": "color:red"})
    assert result.error is not None and result.error.type == "PARAMETER_VALIDATION"
    assert "at position 0" in result.error.message
