"""Damaged and hostile stores of agents: what can be read is listed, the rest is reported, nothing raises."""

import contextlib
import json
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sidecar.api.errors import StorageError
from sidecar.corpus.truth import Truth
from sidecar.history.stores.sessions import saving
from tests.history.stores.fixtures.agents import WRITERS, history_of, listed, snapshot, wrong_values

DEEP = b"[" * 200_000
NOISE = (b"", b"\0" * 50, DEEP[:3_000], b'"', b"\n", b"\xff\xd8")
ODD: tuple[Any, ...] = (
    None,
    True,
    -1,
    1.5,
    10**30,
    "",
    "x" * 5_000,
    [],
    {},
    [[]],
    {"a": None},
    "2026",
    "\ud800",
)


@pytest.fixture(params=["copilot", "gemini", "qwen"])
def product(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def store(product: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, list[Truth]]:
    monkeypatch.setattr(saving, "wall_seconds", lambda: time.time() + 100)  # no file is being saved
    root = tmp_path / "store"
    root.mkdir()
    return root, WRITERS[product](root, 11, 1)


def file_of(root: Path, truth: Truth) -> Path:
    """Return the file with the messages of a session."""
    found = [
        path
        for path in root.rglob("*.json*")
        if path.name not in ("projects.json", "logs.json", "settings.json")
        and (truth.word or "").encode() in path.read_bytes()
    ]
    return max(found, key=lambda path: path.stat().st_size)


def exercised(root: Path) -> dict[str, dict[str, Any]]:
    """List a store and read every message and file of every session."""
    before = snapshot(root)
    history = history_of(root)
    rows = listed(history)
    for name in rows:
        history.get(name)
        with contextlib.suppress(StorageError):  # its file is refused, which names the path
            history.messages(name, limit=20_000)
        history.store(str(root)).touched_files(name)
    assert snapshot(root) == before
    return rows


def damaged(store: tuple[Path, list[Truth]], case: str, change: Callable[[bytes], bytes]) -> dict[str, Any]:
    """Change the bytes of one session's file, and return its row; the other rows stay right."""
    root, truths = store
    truth = next(each for each in truths if each.case == case)
    path = file_of(root, truth)
    path.write_bytes(change(path.read_bytes()))
    rows = exercised(root)
    others = [each for each in truths if each is not truth]
    assert wrong_values(others, {name: row for name, row in rows.items() if name != truth.id}) == []
    return rows[truth.id]


PLAIN = {"copilot": "one shutdown", "gemini": "lines, all replaced", "qwen": "plain"}


def codes(row: dict[str, Any]) -> set[str]:
    return {problem["code"] for problem in row["problems"]}


def test_a_broken_line_inside_is_reported_and_the_rest_counts(
    store: tuple[Path, list[Truth]], product: str
) -> None:
    def insert(data: bytes) -> bytes:
        lines = data.splitlines(keepends=True)
        return b"".join([lines[0], b'{"id": "x", "type": \n', *lines[1:]])

    truth = next(each for each in store[1] if each.case == PLAIN[product])
    row = damaged(store, PLAIN[product], insert)
    assert codes(row) == {"malformed"}
    assert row["messageCount"] == truth.message_count


def test_bytes_that_are_repaired_are_reported(store: tuple[Path, list[Truth]], product: str) -> None:
    truth = next(each for each in store[1] if each.case == PLAIN[product])
    word = (truth.word or "").encode()

    def change(data: bytes) -> bytes:
        return (
            b"\xef\xbb\xbf" + data.replace(word, word[:-1] + b"\xe9") + b"\0" * 4_096 * (product == "gemini")
        )

    row = damaged(store, PLAIN[product], change)
    expected = {"badUtf8", "byteOrderMark"} | ({"padding"} if product == "gemini" else set())
    assert codes(row) == expected
    assert row["messageCount"] == truth.message_count


def test_a_cut_document_keeps_its_complete_messages(tmp_path: Path) -> None:
    truths = WRITERS["gemini"](tmp_path, 3, 1)
    truth = next(each for each in truths if each.case == "one document")
    path = file_of(tmp_path, truth)
    data = path.read_bytes()
    path.write_bytes(data[: data.rindex(b'"id"')])
    row = exercised(tmp_path)[truth.id]
    assert "cut" in codes(row)
    assert 0 < row["messageCount"] < truth.message_count
    assert row["createdAt"] == truth.created_at


@pytest.mark.parametrize("seed", range(8))
def test_bytes_at_random_never_raise(store: tuple[Path, list[Truth]], seed: int) -> None:
    root, truths = store
    chance = random.Random(seed)
    for truth in truths:
        path = file_of(root, truth)
        data = bytearray(path.read_bytes())
        for _ in range(chance.randint(1, 4)):
            start = chance.randrange(len(data))
            end = start + chance.randrange(200)
            data[start:end] = chance.choice((*NOISE, data[:100]))
        path.write_bytes(data[: chance.randrange(len(data)) + 1])
    rows = exercised(root)
    assert all(row["root"] == str(root) for row in rows.values())


@pytest.mark.parametrize("seed", range(6))
def test_values_of_another_type_never_raise(store: tuple[Path, list[Truth]], seed: int) -> None:
    root, truths = store
    chance = random.Random(seed)
    for truth in truths:
        path = file_of(root, truth)
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".json":
            path.write_text(json.dumps(distorted(json.loads(text), chance)))
            continue
        lines = [line for line in text.splitlines() if line.endswith("}")]
        path.write_text("".join(json.dumps(distorted(json.loads(line), chance)) + "\n" for line in lines))
    for row in exercised(root).values():
        usage = row.get("tokenUsage") or {}
        for figures in [usage, *(usage.pop("byModel", None) or ())]:
            numbers = [value for value in figures.values() if not isinstance(value, dict | str)]
            assert all(value is None or value >= 0 for value in numbers)


def distorted(value: Any, chance: random.Random) -> Any:
    """Replace some values inside by odd ones."""
    if chance.random() < 0.02:
        return chance.choice(ODD)
    if isinstance(value, dict):
        return {name: distorted(item, chance) for name, item in value.items()}
    return [distorted(item, chance) for item in value] if isinstance(value, list) else value


def test_deep_and_long_files_are_listed_or_reported(store: tuple[Path, list[Truth]]) -> None:
    root, truths = store
    contents = (DEEP, b'{"messages":' + DEEP, b'{"a":' * 100_000, b"\0" * 1_000_000, b'"' + b"x" * 3_000_000)
    for truth, content in zip(truths, contents, strict=False):
        file_of(root, truth).write_bytes(content)
    rows = exercised(root)
    left = [truth for truth in truths[len(contents) :] if truth.parent_id is None and truth.case != "parent"]
    assert wrong_values(left, {truth.id: rows[truth.id] for truth in left}) == []


def test_links_and_other_kinds_of_files_are_not_followed(
    store: tuple[Path, list[Truth]], tmp_path: Path
) -> None:
    root, truths = store
    secret = tmp_path / "secret.jsonl"
    linked, folder = file_of(root, truths[0]), file_of(root, truths[1])
    linked.rename(secret)
    linked.symlink_to(secret)
    folder.unlink()
    folder.mkdir()
    (root / "loop").symlink_to(root)
    rows = exercised(root)
    assert wrong_values([], {k: v for k, v in rows.items() if k == truths[0].id and v["messageCount"]}) == []


def test_an_unsafe_id_is_not_a_key(tmp_path: Path) -> None:
    chats = tmp_path / "tmp" / "p" / "chats"
    chats.mkdir(parents=True)
    message = {"id": "1", "timestamp": "2026-02-03T04:05:06.000Z", "type": "user", "content": "hello"}
    for place, name in enumerate(("../../etc/passwd", "", "a/b", "x" * 500, "c\nd")):
        chat = {"sessionId": name, "startTime": "2026-02-03T04:05:06.000Z", "messages": [message]}
        (chats / f"session-{place}.json").write_text(json.dumps(chat))
    assert exercised(tmp_path).keys() == {f"session-{place}" for place in range(5)}
