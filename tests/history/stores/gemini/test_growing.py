"""Chats in lines that grow: only what was appended is read, and every look shows a state that was written."""

import json
import os
import threading
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from sidecar.corpus.gemini import write_gemini
from sidecar.corpus.truth import Truth
from sidecar.history.stores.gemini.growing import GrowingChats
from tests.history.live.conftest import WAIT_SECONDS
from tests.history.stores.fixtures.agents import history_of, listed

STAMP = "2026-04-15T11:59:00.000Z"
MESSAGES = 60


def lines_of(root: Path, case: str) -> tuple[Path, Truth]:
    """Write a store, and return the only file of a session in lines with its truth."""
    root.mkdir(exist_ok=True)
    truth = next(each for each in write_gemini(root, 2, 1) if each.case == case)
    (path,) = (path for path in root.rglob("session-*.jsonl") if truth.id in path.read_text())
    return path, truth


def line(**record: Any) -> bytes:
    return json.dumps(record).encode() + b"\n"


def prompt(number: int) -> bytes:
    return line(id=f"new {number}", timestamp=STAMP, type="user", content=f"and {number}?")


@pytest.mark.parametrize("case", ["lines, replaced and taken back", "lines, all replaced"])
def test_reading_in_pieces_gives_the_same_as_reading_at_once(tmp_path: Path, case: str) -> None:
    path, truth = lines_of(tmp_path / "store", case)
    data = path.read_bytes()
    path.write_bytes(b"")
    history = history_of(tmp_path / "store")
    for start in range(0, len(data), 701):
        with path.open("ab") as file:
            file.write(data[start : start + 701])
        listed(history)
    row = listed(history)[truth.id]
    assert row == listed(history_of(tmp_path / "store"))[truth.id]
    assert row["messageCount"] == truth.message_count


def test_only_what_was_appended_is_read(tmp_path: Path) -> None:
    path, _ = lines_of(tmp_path, "lines, all replaced")
    chats = GrowingChats()
    assert chats.read(str(path), path.name) is not None
    assert chats.bytes_read == path.stat().st_size
    for number in range(3):
        with path.open("ab") as file:
            file.write(prompt(number))
        grown = chats.read(str(path), path.name)
        assert grown is not None and f"new {number}" in grown[0].messages
        assert chats.bytes_read == len(prompt(number))


def test_a_chat_that_is_replaced_by_a_longer_one_is_read_from_its_start(tmp_path: Path) -> None:
    path, _ = lines_of(tmp_path, "lines, all replaced")
    chats = GrowingChats()
    chats.read(str(path), path.name)
    head = path.read_bytes().partition(b"\n")[0] + b"\n"
    path.write_bytes(head + b"".join(map(prompt, range(MESSAGES * 10))))
    grown = chats.read(str(path), path.name)
    assert grown is not None
    assert len(grown[0].messages) == MESSAGES * 10
    assert chats.bytes_read == path.stat().st_size


def pieces() -> Iterator[bytes]:
    """Yield prompts, each in two writes; every tenth is replaced."""
    for number in range(MESSAGES):
        record = prompt(number)
        yield from (record[:30], record[30:])
        if number % 10 == 9:
            yield prompt(number)


def test_a_chat_that_is_appended_to_all_the_time_is_always_right(tmp_path: Path) -> None:
    path, truth = lines_of(tmp_path / "store", "lines, all replaced")
    history = history_of(tmp_path / "store")
    counts = [listed(history)[truth.id]["messageCount"]]
    stop = threading.Event()

    def append() -> None:
        for piece in pieces():
            with path.open("ab") as file:
                file.write(piece)
            stop.wait(0.002)

    writer = threading.Thread(target=append)
    writer.start()
    try:
        while writer.is_alive():
            row = listed(history)[truth.id]
            assert row["problems"] == []
            counts.append(row["messageCount"])
    finally:
        stop.set()
        writer.join(WAIT_SECONDS)
    assert all(later >= earlier for earlier, later in pairwise(counts))
    assert listed(history)[truth.id]["messageCount"] == truth.message_count + MESSAGES
    with path.open("ab") as file:
        file.write(line(**{"$rewindTo": "new 50"}))
    assert listed(history)[truth.id]["messageCount"] == truth.message_count + 50
    assert listed(history_of(tmp_path / "store"))[truth.id] == listed(history)[truth.id]


def test_a_session_gets_its_id_once_its_first_line_is_complete(tmp_path: Path) -> None:
    path, truth = lines_of(tmp_path / "store", "lines, all replaced")
    data = path.read_bytes()
    path.write_bytes(data[:10])
    os.utime(path, (1, 1))  # not just now
    history = history_of(tmp_path / "store")
    assert truth.id not in listed(history)
    path.write_bytes(data)
    assert listed(history)[truth.id] == listed(history_of(tmp_path / "store"))[truth.id]
    assert path.stem not in listed(history)
