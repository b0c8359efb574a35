"""Roots whose tasks cannot be listed; the commands run as a user whom permissions bind."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

REPO = Path(__file__).parents[3]
_PROGRAM = """
import os, sys
import sidecar.cli.stored.listing, sidecar.cli.stored.search, sidecar.cli.stored.stats
import sidecar.history.insight, sidecar.history.listing.text
from sidecar.cli.main import main

if os.getuid() == 0:
    os.setuid(65534)  # root lists everything
root, folder = sys.argv[1:3]
os.chmod(folder, 0)
try:
    code = main([*sys.argv[3:], "--root", root])
finally:
    os.chmod(folder, 0o700)
sys.exit(code)
"""


@pytest.fixture
def home() -> Iterator[Path]:
    folder = Path(
        tempfile.mkdtemp(dir="/tmp")
    )  # outside of `tmp_path`, whose parents only its owner may enter
    (folder / "root" / "tasks").mkdir(parents=True)
    if os.getuid() == 0:
        for path in (folder, folder / "root", folder / "root" / "tasks"):
            os.chown(path, 65534, 65534)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.parametrize(
    "command", [["list"], ["list", "--json"], ["list", "--text"], ["search", "x"], ["stats"]]
)
def test_tasks_that_cannot_be_listed_are_a_failure(home: Path, command: list[str]) -> None:
    done = _run(home, home / "root" / "tasks", command)
    assert done.returncode == 1, done.stderr
    assert done.stderr.splitlines()[-1] == f"{home / 'root'}: the tasks cannot be listed: Permission denied"


@pytest.mark.parametrize("command", [["list"], ["list", "--json"], ["stats"]])
def test_a_folder_that_cannot_be_listed_is_named_and_a_failure(home: Path, command: list[str]) -> None:
    (home / "root" / "tasks").rmdir()
    shut = home / "root" / "projects" / "-shut"
    session = f"{'0' * 8}-0000-4000-8000-{'0' * 12}.jsonl"
    for folder in (shut, shut.parent / "-open"):
        folder.mkdir(parents=True)
        (folder / session).write_text("{}\n")
    if os.getuid() == 0:
        os.chown(shut, 65534, 65534)
    done = _run(home, shut, command)
    assert done.returncode == 1, done.stderr
    assert done.stderr.splitlines()[-1] == f"{shut}: cannot be listed: Permission denied"


def _run(home: Path, shut: Path, command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", _PROGRAM, str(home / "root"), str(shut), *command],
        cwd="/",
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(REPO), "HOME": str(home)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
