import os
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from sidecar.history.stores.task_folders.ids import is_task_id, time_in_id
from tests.history.conftest import HOUR, NOW, TASK_ID, Store

Make = Callable[..., dict[str, Any]]
V7 = f"{NOW - HOUR:012x}"
V7_ID = f"{V7[:8]}-{V7[8:]}-7abc-8def-0123456789ab"


def test_creation_is_the_first_ui_time(store: Store, say: Make) -> None:
    store.write(ui=[say("text", "x", ts=NOW - 9), say("text", "y", ts=NOW - 5)], api=[])
    task = store.task()
    assert (task.created_at, task.last_activity, task.duration) == (NOW - 9, NOW - 5, 4)


@pytest.mark.parametrize("odd", [None, 0, -1, True, "1770000000000", 1_770_000_000, 1e300])
def test_an_incredible_time_is_ignored(store: Store, say: Make, odd: Any) -> None:
    store.write(ui=[say("text", "x", ts=odd), say("text", "y", ts=NOW - 5)], api=[])
    assert store.task().created_at == NOW - 5
    assert "message 1" in str(store.history.get(TASK_ID)[1]["createdAt"].note)


def test_an_id_gives_the_time_if_no_message_does(store: Store) -> None:
    store.write(ui=[{"type": "say", "say": "text", "text": "x"}], api=[], task_id=V7_ID)
    assert (store.task(V7_ID).created_at, store.task(V7_ID).last_activity) == (NOW - HOUR, None)


def test_the_file_time_is_the_last_resort_and_reported(store: Store) -> None:
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
def test_other_names_are_not_ids(name: str) -> None:
    assert not is_task_id(name)


EPOCH_ID = str(NOW - 5 * HOUR)


def asked(stated: str) -> dict[str, Any]:
    block = (
        f"<environment_details>\n# Current Time\n{stated}\n\n# Current Mode\nACT MODE\n</environment_details>"
    )
    content = [{"type": "text", "text": "<task>\nDo it\n</task>"}, {"type": "text", "text": block}]
    return {"role": "user", "content": content}


def american(time: int, day_first: bool = False) -> str:
    moment = datetime.fromtimestamp(time / 1000, UTC)
    date = (moment.day, moment.month) if day_first else (moment.month, moment.day)
    return f"{date[0]}/{date[1]}/{moment.year}, {moment.hour % 12 or 12}:{moment:%M:%S %p} (UTC, UTC+0:00)"


def test_without_message_times_the_newest_environment_block_tells_the_activity(store: Store) -> None:
    times = [NOW - 4 * HOUR, NOW - 3 * HOUR]
    store.write(api=[asked(american(time)) for time in times], task_id=EPOCH_ID)
    task, provenance = store.history.get(EPOCH_ID)
    assert (task.created_at, task.last_activity, task.status) == (NOW - 5 * HOUR, NOW - 3 * HOUR, "active")
    assert provenance["lastActivity"].note == "the time stated in an environment block"


def test_without_a_time_in_the_id_the_first_environment_block_tells_the_creation(store: Store) -> None:
    store.write(api=[asked(american(NOW - hours * HOUR)) for hours in (4, 3)])
    assert (store.task().created_at, store.task().last_activity) == (NOW - 4 * HOUR, NOW - 3 * HOUR)


def test_message_times_win_over_stated_ones(store: Store, say: Make) -> None:
    store.write(ui=[say("text", "x", ts=NOW - 9)], api=[asked(american(NOW - HOUR))])
    assert (store.task().created_at, store.task().last_activity) == (NOW - 9, NOW - 9)


def test_a_task_whose_locale_puts_the_day_first_is_not_misdated(store: Store) -> None:
    store.now = 1_757_000_000_000
    began = 1_746_500_000_000  # 2025-05-06
    later = began + 30 * HOUR  # 2025-05-07, or with day and month swapped 2025-07-05
    task_id = str(began)
    store.write(api=[asked(american(time, day_first=True)) for time in (began, later)], task_id=task_id)
    assert store.task(task_id).last_activity is None
    store.write(api=[asked(american(time)) for time in (began, later)], task_id=task_id)
    assert store.task(task_id).last_activity == later


@pytest.mark.parametrize("hours", [-48, 24 * 30])
def test_a_stated_time_before_the_task_or_in_the_future_is_not_believed(store: Store, hours: int) -> None:
    store.write(api=[asked(american(NOW - 5 * HOUR + hours * HOUR))], task_id=EPOCH_ID)
    assert store.task(EPOCH_ID).last_activity is None


def test_without_message_times_the_dates_in_the_metadata_tell_the_activity(store: Store) -> None:
    files = [
        {"path": "a", "cline_read_date": NOW - 3 * HOUR, "cline_edit_date": None, "user_edit_date": NOW},
        {"path": "b", "cline_edit_date": NOW - 2 * HOUR},
        "odd",
    ]
    metadata = {"files_in_context": files, "model_usage": [{"ts": NOW - 4 * HOUR}, {"ts": "x"}, 5]}
    store.write(api=[{"role": "user", "content": "x"}], task_id=EPOCH_ID, task_metadata=metadata)
    task, provenance = store.history.get(EPOCH_ID)
    assert task.last_activity == NOW - 2 * HOUR
    assert provenance["lastActivity"].source == "task_metadata.json"


def test_the_newest_of_stated_and_noted_times_is_the_activity(store: Store) -> None:
    metadata = {"model_usage": [{"ts": NOW - 2 * HOUR}]}
    stated = [asked(american(NOW - HOUR))]
    store.write(api=stated, task_id=EPOCH_ID, task_metadata=metadata)
    assert store.task(EPOCH_ID).last_activity == NOW - HOUR
