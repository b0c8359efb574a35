"""A file whose permissions changed is read again: the checks run as a user whom permissions bind."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

REPO = Path(__file__).parents[3]
_LOOKS = """
import json, os, shutil, sys, tempfile
from pathlib import Path
import sidecar.history.doctor, sidecar.history.stores.task_folders.guide.extract
import sidecar.history.stores.task_folders.reader, sidecar.history.stores.task_folders.structural.titles
from sidecar.history import TaskHistory
from tests.history.conftest import NOW, Store

if os.getuid() == 0:
    os.setuid(65534)  # root reads everything
name, cached = sys.argv[1], sys.argv[2] == "cached"
home = Path(tempfile.mkdtemp())
try:
    store = Store(home / "root")
    message = {"ts": NOW, "type": "say", "say": "text", "text": "a prompt"}
    api = [{"role": "user", "content": "a prompt"}]
    folder = store.write(ui=[message], api=api, history_item={"mode": "code"})
    cache = home / "cache" if cached else None
    history = TaskHistory([store.path], now=lambda: NOW, cache=cache)

    def look():
        global history
        if cached:
            history.close()
            history = TaskHistory([store.path], now=lambda: NOW, cache=cache)
        (task,) = history.list()
        return task.title, [problem.code for problem in task.problems]

    seen = [look()]
    for mode in (0, 0o700):
        (folder / name).chmod(mode)
        seen.append(look())
    print(json.dumps(seen))
finally:
    shutil.rmtree(home)
"""

_DOCTOR = """
import os, shutil, tempfile
from pathlib import Path
from sidecar.history.doctor import examine
from sidecar.history.prices import table_name
import sidecar.history.stores.task_folders.reader, sidecar.history.stores.task_folders.structural.titles
from tests.history.conftest import NOW, Store

table_name()  # loads what reads a version, while the standard library can still be read
if os.getuid() == 0:
    os.setuid(65534)  # root reads everything
home = Path(tempfile.mkdtemp())
store = Store(home / "root")
folder = store.write(ui=[{"ts": NOW, "type": "say", "say": "text", "text": "a prompt"}], api=[])
folder.chmod(0)
try:
    print(*{finding.code for finding in examine(store.history, NOW).findings})
finally:
    folder.chmod(0o700)
    shutil.rmtree(home)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="chmod takes no right to read away")
def test_the_doctor_does_not_report_unreadable_messages_as_missing() -> None:
    assert _run(_DOCTOR).split() == ["unreadable"]


@pytest.mark.skipif(sys.platform == "win32", reason="chmod takes no right to read away")
@pytest.mark.parametrize("cached", ["cached", "in memory"])
@pytest.mark.parametrize(
    "name", ["ui_messages.json", "api_conversation_history.json", "history_item.json", ""]
)
def test_a_file_that_becomes_unreadable_and_readable_again_is_noticed(name: str, cached: str) -> None:
    before, refused, after = json.loads(_run(_LOOKS, name, cached))
    assert before == after == ["a prompt", []]
    assert "unreadable" in refused[1]
    assert name != "" or refused[0] == "(messages cannot be read)"


def _run(program: str, *arguments: str) -> str:
    command = [sys.executable, "-c", program, *arguments]
    env = {**os.environ, "PYTHONPATH": str(REPO), "TMPDIR": "/tmp"}
    done = subprocess.run(command, cwd=REPO, env=env, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout
