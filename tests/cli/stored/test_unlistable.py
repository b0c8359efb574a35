"""Roots whose tasks cannot be listed; the commands run as a user whom permissions bind."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

REPO = Path(__file__).parents[2]
_PROGRAM = """
import os, sys
import sidecar.cli.stored.history, sidecar.cli.stored.search, sidecar.cli.stored.stats
import sidecar.history.insight, sidecar.history.listing.text
from sidecar.cli.main import main

if os.getuid() == 0:
    os.setuid(65534)  # root lists everything
os.chmod(sys.argv[1] + "/tasks", 0)
try:
    code = main([*sys.argv[2:], "--root", sys.argv[1]])
finally:
    os.chmod(sys.argv[1] + "/tasks", 0o700)
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
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, str(home / "root"), *command],
        cwd="/",
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(REPO), "HOME": str(home)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert done.stderr.splitlines()[-1] == f"{home / 'root'}: the tasks cannot be listed: Permission denied"
