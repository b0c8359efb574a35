"""How many messages a task has, and when nobody knows."""

from collections.abc import Callable
from typing import Any

from tests.history.conftest import Store

Make = Callable[..., dict[str, Any]]
ITEM = {"id": "x", "ts": 1_776_247_196_051, "task": "Find the bug"}


def counts(store: Store) -> tuple[int | None, int | None]:
    task = store.task()
    return task.message_count, task.ui_message_count


def test_a_task_without_a_request_has_no_messages_for_a_model(store: Store, say: Make) -> None:
    store.write(ui=[say("text", "Find the bug")])
    assert counts(store) == (0, 1)


def test_what_a_model_received_is_unknown_where_its_file_is_missing(store: Store, say: Make) -> None:
    store.write(ui=[say("text", "Find the bug"), say("api_req_started", "{}")])
    assert counts(store) == (None, 2)


def test_what_a_user_saw_is_unknown_where_its_file_is_missing(store: Store) -> None:
    store.write(api=[{"role": "user", "content": "Find the bug"}])
    assert counts(store) == (1, None)


def test_of_a_task_that_only_a_list_names_no_count_is_known(store: Store) -> None:
    store.write(history_item=ITEM)
    assert counts(store) == (None, None)
