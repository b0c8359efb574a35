"""The store of Kilo's command line before 7: found by itself, with its list in `global-state.json`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sidecar.history.discovery import discover_roots
from sidecar.history.doctor import examine
from sidecar.history.stores.editors import Machine
from tests.history.conftest import HOUR, NOW, TASK_ID, Store

Make = Callable[..., dict[str, Any]]
GONE = "00000000-0000-4000-8000-000000000009"


@pytest.fixture
def kilo(tmp_path: Path) -> Store:
    return Store(tmp_path / ".kilocode" / "cli" / "global")


def keep_list(store: Store, *entries: dict[str, Any]) -> Path:
    path = store.path / "global-state.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"mode": "code", "taskHistory": [*entries]}))
    return path


def test_the_store_is_found_and_its_tasks_are_kilos(kilo: Store, tmp_path: Path, say: Make) -> None:
    kilo.write(ui=[say("text", "Do it")])
    found = discover_roots(Machine(tmp_path, {}, "linux"))
    assert found.roots == [kilo.path]
    assert "Kilo's command line" in next(place.why for place in found.searched if place.found)
    assert kilo.task().product == "kilo"


def test_its_list_has_what_the_messages_do_not(kilo: Store, say: Make) -> None:
    kilo.write(ui=b"", api=[{"role": "user", "content": "x"}])
    figures = {"tokensIn": 5, "tokensOut": 6, "totalCost": 0.25, "cacheWrites": 0, "cacheReads": 0}
    entry = {"id": TASK_ID, "ts": NOW - HOUR, "workspace": "/w", "mode": "architect", "isFavorited": True}
    keep_list(kilo, entry | figures)
    task, provenance = kilo.history.get(TASK_ID)
    assert (task.workspace_dir, task.mode.current, task.favorite) == ("/w", "architect", True)
    assert task.token_usage is not None and (task.token_usage.total, task.token_usage.cost) == (11, 0.25)
    assert {provenance[name].source for name in ("workspaceDir", "mode", "tokenUsage", "lastActivity")} == {
        "global-state.json"
    }


def test_a_change_of_its_list_is_noticed(kilo: Store, say: Make) -> None:
    kilo.write(ui=[say("text", "Do it")])
    keep_list(kilo, {"id": TASK_ID, "workspace": "/old"})
    assert kilo.task().workspace_dir == "/old"
    keep_list(kilo, {"id": TASK_ID, "workspace": "/newer"})
    assert kilo.task().workspace_dir == "/newer"


@pytest.mark.parametrize(
    "state", [b"", b"{", b"[]", b'{"taskHistory":5}', b'{"taskHistory":[{"id":', b"\xff"]
)
def test_a_damaged_list_costs_no_task(kilo: Store, say: Make, state: bytes) -> None:
    kilo.write(ui=[say("text", "Do it")])
    (kilo.path / "global-state.json").write_bytes(state)
    assert kilo.task().title == "Do it" and kilo.task().problems == []


def test_the_doctor_compares_its_list_with_the_folders(kilo: Store, say: Make) -> None:
    kilo.write(ui=[say("text", "Do it")], api=[])
    path = keep_list(kilo, {"id": GONE, "task": "Gone"})
    found = {each.code: each for each in examine(kilo.history, NOW).findings}
    assert found.keys() == {"orphan", "indexOnly"}
    assert (found["orphan"].task_id, found["indexOnly"].task_id) == (TASK_ID, GONE)
    assert found["indexOnly"].path == str(path)
