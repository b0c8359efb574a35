"""Stores of agents that are being written: appended, rewritten as a whole, and announced live."""

import json
import queue
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sidecar.corpus.truth import Truth
from sidecar.history.live import LiveHistory
from sidecar.history.task_history import Changes
from tests.history.live.conftest import WAIT_SECONDS, until
from tests.history.stores.fixtures.agents import WRITERS, history_of, listed

STAMP = "2026-04-15T11:59:00.000Z"


def append_to_copilot(root: Path, truth: Truth) -> None:
    event = {"type": "user.message", "data": {"content": "and now?"}, "id": "new", "timestamp": STAMP}
    with (root / "session-state" / truth.id / "events.jsonl").open("a") as file:
        file.write(json.dumps(event) + "\n")


def append_to_qwen(root: Path, truth: Truth) -> None:
    (path,) = root.rglob(f"{truth.id}.jsonl")
    message = {"role": "user", "parts": [{"text": "and now?"}]}
    with path.open("a") as file:
        record = {
            "uuid": "new",
            "sessionId": truth.id,
            "timestamp": STAMP,
            "type": "user",
            "message": message,
        }
        file.write(json.dumps(record) + "\n")


def append_to_gemini(root: Path, truth: Truth) -> None:
    path = gemini_file(root, truth)
    chat = json.loads(path.read_text(encoding="utf-8"))
    chat["messages"].append({"id": "new", "timestamp": STAMP, "type": "user", "content": "and now?"})
    path.write_text(json.dumps(chat), encoding="utf-8")


def gemini_file(root: Path, truth: Truth) -> Path:
    return max(root.rglob(f"session-*-{truth.id[:8]}.json"), key=lambda path: path.stat().st_mtime_ns)


APPEND: dict[str, Callable[[Path, Truth], None]] = {
    "copilot": append_to_copilot,
    "qwen": append_to_qwen,
    "gemini": append_to_gemini,
}
CASES = {"copilot": "one shutdown", "qwen": "plain", "gemini": "one document"}


@pytest.fixture(params=sorted(APPEND))
def product(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def session(product: str, tmp_path: Path) -> tuple[Path, Truth]:
    root = tmp_path / "store"
    root.mkdir()
    truths = WRITERS[product](root, 2, 1)
    return root, next(truth for truth in truths if truth.case == CASES[product])


def test_an_appended_prompt_changes_its_row_only(session: tuple[Path, Truth], product: str) -> None:
    root, truth = session
    history = history_of(root)
    before = listed(history)
    APPEND[product](root, truth)
    assert history.refresh().changed == [truth.id]
    after = listed(history)
    assert after[truth.id]["messageCount"] == truth.message_count + 1
    assert after[truth.id]["status"] == "active"
    assert {name: row for name, row in after.items() if name != truth.id} == {
        name: row for name, row in before.items() if name != truth.id
    }
    assert history.messages(truth.id, limit=1, from_="end").messages[0].text == "and now?"


def test_changes_are_announced_live(session: tuple[Path, Truth], product: str) -> None:
    root, truth = session
    history = history_of(root)
    announced: queue.Queue[Changes] = queue.Queue()
    live = LiveHistory(history, announced.put)
    live.start()
    try:
        assert truth.id in announced.get(timeout=WAIT_SECONDS).added
        until(lambda: live.state.mode == "watch", "mode watch")
        APPEND[product](root, truth)
        assert announced.get(timeout=WAIT_SECONDS) == Changes([], [truth.id], [])
    finally:
        live.close(5)


@pytest.mark.parametrize("product", ["copilot", "qwen"], indirect=True)
@pytest.mark.parametrize("step", [1_000, 7_777])
def test_reading_in_pieces_gives_the_same_as_reading_at_once(
    session: tuple[Path, Truth], product: str, step: int
) -> None:
    root, truth = session
    name = "events.jsonl" if product == "copilot" else f"{truth.id}.jsonl"
    path = next(path for path in root.rglob(name) if truth.id in str(path))
    data = path.read_bytes()
    history = history_of(root)
    path.write_bytes(b"")
    for start in range(0, len(data), step):
        with path.open("ab") as file:
            file.write(data[start : start + step])
        listed(history)
    whole: dict[str, Any] = listed(history_of(root.parent / "store"))[truth.id]
    assert listed(history)[truth.id] == whole
    assert whole["messageCount"] == truth.message_count


def test_a_document_that_is_rewritten_all_the_time_is_always_listed(tmp_path: Path) -> None:
    truths = WRITERS["gemini"](tmp_path, 2, 1)
    truth = next(each for each in truths if each.case == "one document")
    path = gemini_file(tmp_path, truth)
    data = path.read_bytes()
    stop = threading.Event()

    def rewrite() -> None:
        while not stop.is_set():
            with path.open("wb") as file:
                file.write(data[: len(data) // 2])
                file.flush()
                file.write(data[len(data) // 2 :])
            stop.wait(0.01)

    history = history_of(tmp_path)
    listed(history)  # a busy machine may hold the writer in the middle of a save: what is known stays listed
    writer = threading.Thread(target=rewrite)
    writer.start()
    try:
        for _ in range(30):
            row = listed(history)[truth.id]
            assert row["problems"] == []
            assert row["messageCount"] == truth.message_count
    finally:
        stop.set()
        writer.join(WAIT_SECONDS)
