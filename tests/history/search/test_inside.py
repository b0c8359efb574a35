"""Search finds the subagents whose records are in the file of a session of Claude Code."""

import json
from pathlib import Path
from typing import Any

from sidecar.api.stored.search import SearchParams
from sidecar.history import TaskHistory
from sidecar.history.search import SearchService
from sidecar.history.search.build import update
from tests.history.conftest import NOW

MAIN, COPY = "3f2b8c1e-5d4a-4f6b-9c7d-8e9f0a1b2c3d", "0198c1e0-0000-7000-8000-000000000000"

CHAIN = "5d4a8c1e-0000-4f6b-9c7d-8e9f0a1b2c3d"


def record(name: str, text: str, sidechain: bool = False, parent: str | None = None) -> dict[str, Any]:
    return {
        "type": "user",
        "uuid": CHAIN if name == "bb" else name,
        "parentUuid": CHAIN if parent == "bb" else parent,
        "isSidechain": sidechain,
        "timestamp": f"2026-02-03T04:05:0{len(name)}.000Z",
        "message": {"role": "user", "content": text},
    }


RECORDS = [
    record("a", "mend the parser"),
    record("bb", "look for zebras", sidechain=True),
    record("ccc", "two zebras more", sidechain=True, parent="bb"),
    record("dddd", "that was all", parent="a"),
]


class Searched:
    """A store with sessions, and the index of its messages."""

    def __init__(self, folder: Path) -> None:
        self.root, self.index = folder / "store", folder / "index"
        self.write(MAIN, *RECORDS)
        self.history = TaskHistory([self.root], now=lambda: NOW, cache=folder / "cache")

    def write(self, name: str, *records: dict[str, Any]) -> None:
        project = self.root / "projects" / "-w"
        project.mkdir(parents=True, exist_ok=True)
        (project / f"{name}.jsonl").write_text("".join(json.dumps(each) + "\n" for each in records))

    def hits(self, text: str) -> list[tuple[str, int]]:
        update(self.index, str(self.root))
        service = SearchService(self.index, wait_seconds=60.0)  # a busy machine reads slowly
        try:
            return sorted(
                (hit.task_id, hit.index) for hit in service.search(self.history, SearchParams(text=text)).hits
            )
        finally:
            service.close()


def test_a_subagent_is_found_by_its_own_id(tmp_path: Path) -> None:
    searched = Searched(tmp_path)
    assert searched.hits("zebras") == [(CHAIN, 0), (CHAIN, 1)]
    assert searched.hits("parser") == [(MAIN, 0)]
    shown = searched.history.messages(CHAIN).messages
    assert [message.text for message in shown] == ["look for zebras", "two zebras more"]


def test_a_subagent_that_is_gone_is_not_found(tmp_path: Path) -> None:
    searched = Searched(tmp_path)
    assert searched.hits("zebras")
    searched.write(MAIN, RECORDS[0])
    assert searched.hits("zebras") == []


def test_a_copied_subagent_is_found_once(tmp_path: Path) -> None:
    searched = Searched(tmp_path)
    searched.write(COPY, *RECORDS, record("eeeee", "continue", parent="dddd"))
    assert searched.hits("zebras") == [(CHAIN, 0), (CHAIN, 1)]
