"""A session of which no record can be read is listed with a problem, not left out."""

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from sidecar.corpus.stores import STORES
from sidecar.corpus.truth import NOW_MS
from sidecar.history import TaskHistory
from sidecar.history.stored.complexity import MAX_VALUES

_HOUR_NS: Final = 3_600_000_000_000
_MANY: Final = 4
_BLANK: Final = 10
"""The size of the largest file without a record, in bytes."""

Harm = Callable[[bytes], bytes]
_HARMS: Final[dict[str, Harm]] = {
    "zeros": lambda data: b"\0" * len(data),
    "cut in its first line": lambda data: data.partition(b"\n")[0][:60],
    "no JSON": lambda data: b"\n".join(b"x" + line[:-3] for line in data.split(b"\n")),
    "random bytes": lambda data: bytes((7 * place + 13) % 251 for place in range(len(data))),
}
_SESSIONS: Final = {
    "claude": "projects/*/*-*-*-*-*.jsonl",
    "codex": "sessions/*/*/*/*.jsonl",
    "copilot": "session-state/*/events.jsonl",
    "gemini": "tmp/*/chats/session-*.json*",
    "qwen": "projects/*/chats/*-*-*-*-*.jsonl",
}


@pytest.mark.parametrize("harm", _HARMS)
@pytest.mark.parametrize("product", _SESSIONS)
def test_a_session_without_a_readable_record_is_listed_with_its_problem(
    tmp_path: Path, product: str, harm: str
) -> None:
    root = tmp_path / "store"
    root.mkdir()
    STORES[product](root, 7, 1)
    files = sorted(each for each in root.glob(_SESSIONS[product]) if each.stat().st_size > _BLANK)
    assert len(files) > _MANY
    for path in files[:_MANY]:
        _harm(path, _HARMS[harm])
    damaged = [row for row in TaskHistory([root], now=lambda: NOW_MS).list(children=True) if row.problems]
    named = {problem.message.split()[0].strip(":") for row in damaged for problem in row.problems}
    missing = [str(path) for path in files[:_MANY] if not any(_names(name, path) for name in named)]
    assert missing == []


@pytest.mark.parametrize("product", ["copilot", "gemini", "qwen"])
def test_a_prompt_with_too_many_values_to_be_read_is_named(tmp_path: Path, product: str) -> None:
    root = tmp_path / "store"
    root.mkdir()
    STORES[product](root, 7, 1)
    file = next(
        each
        for each in sorted(root.glob(_SESSIONS[product]))
        if b"user" in each.read_bytes()[:9_000] and each.suffix == ".jsonl"
    )
    lines = file.read_bytes().split(b"\n")
    place = next(place for place, line in enumerate(lines) if b'"user' in line)
    lines[place] = re.sub(
        rb'"(content|parts)":', rb'"\\1":[' + b"[]," * MAX_VALUES + rb'[]],"was":', lines[place], count=1
    )
    file.write_bytes(b"\n".join(lines))
    rows = TaskHistory([root], now=lambda: NOW_MS).list(children=True)
    (message,) = (each.message for row in rows for each in row.problems if each.code == "tooLarge")
    assert "1 line has" in message


@pytest.mark.parametrize("harm", _HARMS)
@pytest.mark.parametrize("product", ["opencode", "kilo"])
def test_a_session_of_files_whose_messages_are_all_damaged_is_listed(
    tmp_path: Path, product: str, harm: str
) -> None:
    whole, damaged = tmp_path / "whole", tmp_path / "damaged"
    for root in (whole, damaged):
        root.mkdir()
        STORES[product](root, 7, 1)
    for path in damaged.rglob("msg_*.json"):
        _harm(path, _HARMS[harm])
    before, after = _problems(whole), _problems(damaged)
    assert after.keys() == before.keys()
    assert sum(after.values()) > sum(before.values()) + _MANY


def _problems(root: Path) -> dict[str, int]:
    history = TaskHistory([root], now=lambda: NOW_MS)
    return {row.id: len(row.problems or ()) for row in history.list(children=True)}


def _names(name: str, path: Path) -> bool:
    return name != "" and str(path).endswith(name)


def _harm(path: Path, harm: Harm) -> None:
    """Replace the content of a file, as long ago as no writer is at work."""
    stamp = path.stat()
    path.write_bytes(harm(path.read_bytes()))
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns - _HOUR_NS))
