"""Damaged and hostile folders are listed with their problems; nothing hangs, nothing is written."""

import hashlib
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sidecar.history import TaskHistory
from sidecar.rpc.transport.encoding import encode_json
from tests.generator import ERAS, HOSTILE, generate, write_hostile
from tests.generator.hostile import START, Hostile
from tests.generator.story import NOW_MS

REPO = Path(__file__).parents[3]
MOST_SECONDS = 20.0
"""Of processor time, for one folder: a bound against quadratic readers. benchmarks/ promises the speed."""


@pytest.mark.usefixtures("long_after")
@pytest.mark.parametrize("kind", HOSTILE, ids=lambda kind: kind.name)
def test_each_kind_of_damage_is_listed_with_its_problems(
    tmp_path: Path, kind: Hostile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.generator.hostile.HOSTILE", [kind])
    made = write_hostile(tmp_path)
    started = time.process_time()
    rows = TaskHistory([tmp_path], now=lambda: NOW_MS).list()
    assert time.process_time() - started < MOST_SECONDS
    assert [{problem.code for problem in row.problems} for row in rows] == [
        kind.codes for one in made.values() if one.listed
    ]
    assert all(row.title and "\n" not in row.title and encode_json(row) for row in rows)


def test_there_are_many_kinds() -> None:
    assert len({kind.name for kind in HOSTILE}) == len(HOSTILE) >= 120


@pytest.mark.slow
def test_memory_stays_bounded_whatever_is_listed(tmp_path: Path) -> None:
    write_hostile(tmp_path)
    script = (
        "import sys; from sidecar.history import TaskHistory; history = TaskHistory([sys.argv[1]]);"
        "history.list(); history.list(rules='guide');"
        # Not ru_maxrss, which starts with that of the process that forked this one.
        "print(*(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    )
    command = [sys.executable, "-c", script, str(tmp_path)]
    done = subprocess.run(command, cwd=REPO, capture_output=True, check=True, timeout=50)
    assert int(done.stdout) < 500 * 1024  # KiB on Linux


@pytest.mark.slow
def test_no_damage_costs_another_task_its_row(tmp_path: Path) -> None:
    made = write_hostile(tmp_path)
    good = generate(tmp_path, ERAS[2], 9)
    rows = {row.id: row for row in TaskHistory([tmp_path], now=lambda: NOW_MS).list()}
    listed = {task_id for task_id, kind in made.items() if kind.listed}
    assert rows.keys() == listed | {task.id for task in good}
    assert all(rows[task.id].title == task.truth["title"] for task in good)


@pytest.mark.parametrize("rules", ["structural", pytest.param("guide", marks=pytest.mark.slow)])
def test_reading_changes_nothing(tmp_path: Path, rules: str) -> None:
    write_hostile(tmp_path)
    before = tree(tmp_path)
    history = TaskHistory([tmp_path], now=lambda: NOW_MS)
    history.list(rules="guide" if rules == "guide" else "structural")
    history.refresh()
    assert tree(tmp_path) == before


def test_a_read_only_store_is_listed(tmp_path: Path) -> None:
    generate(tmp_path, ERAS[3], 3)
    for folder, _, _ in os.walk(tmp_path):
        os.chmod(folder, 0o555)
    try:
        assert len(TaskHistory([tmp_path], now=lambda: NOW_MS).list()) == 3
    finally:
        for folder, _, _ in os.walk(tmp_path):
            os.chmod(folder, 0o755)


def test_what_a_cut_file_still_holds_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = [kind for kind in HOSTILE if kind.name == "cut_in_a_message"]
    monkeypatch.setattr("tests.generator.hostile.HOSTILE", kinds)
    write_hostile(tmp_path)
    (row,) = TaskHistory([tmp_path], now=lambda: NOW_MS).list()
    assert (row.title, row.created_at, row.ui_message_count) == ("Find the bug", START, 1)
    assert "after message 1" in row.problems[0].message


def tree(root: Path) -> dict[str, object]:
    """Return every name under `root` with what a write would change: kind, size, time, content."""
    found: dict[str, object] = {}
    for folder, directories, files in os.walk(root):
        for name in directories + files:
            path = Path(folder) / name
            status = path.lstat()
            small = path.is_file() and not path.is_symlink() and status.st_size < 1 << 22
            digest = hashlib.sha256(path.read_bytes()).hexdigest() if small else None
            found[str(path)] = (status.st_mode, status.st_size, status.st_mtime_ns, digest)
    return found
