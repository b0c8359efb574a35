import os
from collections.abc import Callable
from typing import Any

import pytest

from sidecar.history.products import is_task_id, time_in_id
from tests.history.conftest import HOUR, NOW, TASK_ID, Store

Make = Callable[..., dict[str, Any]]
V7 = f"{NOW - HOUR:012x}"
V7_ID = f"{V7[:8]}-{V7[8:]}-7abc-8def-0123456789ab"


def test_creation_is_the_first_ui_time(store: Store, say: Make) -> None:
    store.write(ui=[say("text", "x", ts=NOW - 9), say("text", "y", ts=NOW - 5)], api=[])
    task = store.task()
    assert (task.created_at, task.last_activity, task.duration) == (NOW - 9, NOW - 5, 4)


@pytest.mark.parametrize("odd", [None, 0, -1, True, "1770000000000", 1_770_000_000, 1e300])
def test_an_incredible_time_is_passed_over(store: Store, say: Make, odd: Any) -> None:
    store.write(ui=[say("text", "x", ts=odd), say("text", "y", ts=NOW - 5)], api=[])
    assert store.task().created_at == NOW - 5
    assert "message 1" in str(store.history.get(TASK_ID)[1]["createdAt"].note)


def test_an_id_tells_the_time_when_no_message_does(store: Store) -> None:
    store.write(ui=[{"type": "say", "say": "text", "text": "x"}], api=[], task_id=V7_ID)
    assert (store.task(V7_ID).created_at, store.task(V7_ID).last_activity) == (NOW - HOUR, None)


def test_the_file_time_is_the_last_resort_and_said(store: Store) -> None:
    folder = store.write(ui=[], api=[])
    os.utime(folder / "ui_messages.json", (1_770_000_000, 1_770_000_000))
    task, provenance = store.history.get(TASK_ID)
    assert task.created_at == 1_770_000_000_000
    assert "modification time" in str(provenance["createdAt"].note)


def test_the_newest_message_need_not_be_the_last(store: Store, say: Make) -> None:
    store.write(ui=[say("text", "x", ts=NOW - 9), say("text", "y", ts=NOW - 20)], api=[{"ts": NOW - 12}])
    assert store.task().last_activity == NOW - 9


def test_without_a_ui_file_the_list_entry_knows_the_activity(store: Store, user: Make) -> None:
    store.write(api=[user("x")], history_item={"id": TASK_ID, "ts": NOW - 3})
    assert store.task().last_activity == NOW - 3


@pytest.mark.parametrize(
    ("task_id", "time"),
    [
        (V7_ID, NOW - HOUR),
        ("1770000000000", 1_770_000_000_000),
        (TASK_ID, None),
        ("100000000000", None),
        ("9" * 13, None),
    ],
)
def test_the_time_in_an_id_must_be_credible(task_id: str, time: int | None) -> None:
    assert time_in_id(task_id, NOW) == time


@pytest.mark.parametrize("name", [TASK_ID, TASK_ID.upper(), V7_ID, "1" * 12, "1" * 14])
def test_uuids_and_epoch_times_are_ids(name: str) -> None:
    assert is_task_id(name)


@pytest.mark.parametrize(
    "name", ["_index", ".hidden", "1" * 11, "1" * 15, TASK_ID + "x", "١" * 13, "", "_staging_" + TASK_ID]
)
def test_other_names_are_no_ids(name: str) -> None:
    assert not is_task_id(name)
