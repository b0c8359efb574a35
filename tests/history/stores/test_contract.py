"""What a registered family of stores gets from the history: a store of growing files shows it."""

import json
import queue
from collections.abc import Iterator
from pathlib import Path

import pytest

from sidecar.api.stored.search import SearchParams
from sidecar.history import TaskHistory
from sidecar.history.discovery import discover_roots
from sidecar.history.doctor import examine
from sidecar.history.export import export
from sidecar.history.listing.selection import ListQuery
from sidecar.history.live import LiveHistory
from sidecar.history.search import SearchService
from sidecar.history.search.build import update
from sidecar.history.stores.editors import Machine
from sidecar.history.stores.registry import FAMILIES
from sidecar.history.task_history import Changes
from tests.history.conftest import NOW
from tests.history.live.conftest import WAIT_SECONDS, until
from tests.history.stores.fixtures.jsonl_family import JsonlSessions, JsonlStore

FIRST, SECOND = "first-session", "ses_2"


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    family = JsonlSessions()
    FAMILIES.append(family)
    yield
    FAMILIES.remove(family)


def say(root: Path, key: str, role: str, text: str, end: str = "\n") -> None:
    """Append a message to a session."""
    file = root / "sessions" / f"{key}.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a") as opened:
        opened.write(json.dumps({"role": role, "text": text, "ts": NOW + opened.tell()}) + end)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    path = tmp_path / ".agent"
    say(path, FIRST, "user", "mend the parser")
    say(path, FIRST, "assistant", "the parser is mended")
    say(path, SECOND, "user", "write a poem")
    return path


def history_of(root: Path) -> tuple[TaskHistory, JsonlStore]:
    history = TaskHistory([root], now=lambda: NOW, cache=root.parent / "cache")
    store = history.store(str(root))
    assert isinstance(store, JsonlStore)
    return history, store


def test_its_default_folders_are_discovered(root: Path) -> None:
    found = discover_roots(Machine(root.parent, {}, "linux"))
    assert found.roots == [root]
    assert [place.why for place in found.searched if place.found] == ["sessions of the agent"]


def test_its_sessions_are_listed_sorted_filtered_and_queried(root: Path) -> None:
    history, _ = history_of(root)
    assert {task.id: task.title for task in history.list()} == {
        FIRST: "mend the parser",
        SECOND: "write a poem",
    }
    assert [task.id for task in history.list(query="status:completed")] == [FIRST]
    page = history.page(ListQuery(filter="poem", limit=1))
    assert ([task.id for task in page.items], page.matched, page.total) == ([SECOND], 1, 2)


def test_the_guide_knows_none_of_them(root: Path) -> None:
    assert history_of(root)[0].list(rules="guide") == []


def test_a_session_is_opened_by_a_prefix_with_its_sources(root: Path) -> None:
    task, provenance = history_of(root)[0].get("first")
    assert (task.id, provenance["title"].source) == (FIRST, f"{FIRST}.jsonl")


@pytest.mark.parametrize("kind", ["ui", "api"])
def test_messages_are_paged_from_either_end(root: Path, kind: str) -> None:
    history, _ = history_of(root)
    start = history.messages(FIRST, kind, limit=1)  # type: ignore[arg-type]
    end = history.messages(FIRST, kind, limit=1, from_="end")  # type: ignore[arg-type]
    assert [message.text for message in (*start.messages, *end.messages)] == [
        "mend the parser",
        "the parser is mended",
    ]
    say(root, FIRST, "user", "thank you")
    more = history.messages(FIRST, kind, cursor=start.next_cursor)  # type: ignore[arg-type]
    assert [message.index for message in more.messages] == [1, 2]


def test_only_what_was_appended_is_read_again(root: Path) -> None:
    history, store = history_of(root)
    history.list()
    before = store.bytes_read
    history.list()
    assert store.bytes_read == before
    say(root, SECOND, "assistant", "roses are red")
    assert history.refresh().changed == [SECOND]
    appended = store.bytes_read - before
    assert 0 < appended < (root / "sessions" / f"{SECOND}.jsonl").stat().st_size
    with store.open_messages(SECOND, "ui") as messages:
        assert [message.text for message in messages.since(1)] == ["roses are red"]


def test_an_unfinished_line_waits_for_its_end(root: Path) -> None:
    history, store = history_of(root)
    say(root, SECOND, "assistant", "roses", end="")
    with store.open_messages(SECOND, "ui") as messages:
        assert messages.total == 1
    with (root / "sessions" / f"{SECOND}.jsonl").open("a") as file:
        file.write("\n")
    assert history.messages(SECOND).total == 2


def test_rows_are_kept_between_processes(root: Path) -> None:
    first, _ = history_of(root)
    first.list()
    first.close()
    second, store = history_of(root)
    assert second.list() == first.list() and store.bytes_read == 0


def test_messages_are_searched(root: Path, tmp_path: Path) -> None:
    history, _ = history_of(root)
    update(tmp_path / "search", str(root))
    service = SearchService(tmp_path / "search", wait_seconds=60)
    hits = service.search(history, SearchParams(text="mended")).hits
    service.close()
    assert [(hit.task_id, hit.index) for hit in hits] == [(FIRST, 1)]


def test_a_session_is_exported_and_examined(root: Path) -> None:
    history, _ = history_of(root)
    assert "the parser is mended" in export(history, FIRST, "markdown").text
    result = examine(history, NOW)
    assert ([each.tasks for each in result.roots], result.findings) == ([2], [])


def test_appended_new_and_removed_sessions_are_announced_live(root: Path) -> None:
    history, _ = history_of(root)
    announced: queue.Queue[Changes] = queue.Queue()
    live = LiveHistory(history, announced.put)
    live.start()
    try:
        assert announced.get(timeout=WAIT_SECONDS).added == sorted([FIRST, SECOND])
        until(lambda: live.state.mode == "watch", "mode watch")
        say(root, SECOND, "assistant", "roses are red")
        assert announced.get(timeout=WAIT_SECONDS) == Changes([], [SECOND], [])
        say(root, "third", "user", "hello")
        assert announced.get(timeout=WAIT_SECONDS) == Changes(["third"], [], [])
        (root / "sessions" / "third.jsonl").unlink()
        assert announced.get(timeout=WAIT_SECONDS) == Changes([], [], ["third"])
    finally:
        live.close(5)
    assert [task.id for task in history.list(query="status:completed")] == [FIRST, SECOND]
