"""Hostile stores: what can be read is listed, the rest is named, within bounds of time and memory."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from sidecar.corpus.stores import STORES
from tests.history.stores.fixtures.harmed_databases import DATABASES, SILENT, write_harmed_databases
from tests.history.stores.fixtures.hostile_stores import FILES, write_hostile_store

REPO: Final = Path(__file__).parents[3]
_SECONDS: Final = 20
"""Of processor time; the kernel ends a process that takes more."""
_KIB: Final = 500 << 10
_SCRIPT: Final = """
import json, resource, sys
resource.setrlimit(resource.RLIMIT_CPU, (int(sys.argv[1]),) * 2)
from sidecar.history import TaskHistory
from sidecar.history.doctor import examine
from sidecar.corpus.truth import NOW_MS
found = {}
for root in sys.argv[2:]:
    history = TaskHistory([root], now=lambda: NOW_MS)
    rows = {row.id: sorted({each.code for each in row.problems}) for row in history.list(children=True)}
    shared = [each.code for each in examine(history, NOW_MS).findings if each.task_id is None]
    found[root] = {"rows": rows, "shared": shared}
# Not ru_maxrss, which starts with that of the process that forked this one.
(most,) = (line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
workers = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(json.dumps({"found": found, "most": int(most), "workers": workers}))
"""


def listed(home: Path, *roots: Path) -> dict[str, Any]:
    """List and examine stores in a process of its own, and check its memory."""
    command = [sys.executable, "-c", _SCRIPT, str(_SECONDS), *map(str, roots)]
    env = {**os.environ, "SIDECAR_CACHE_DIR": str(home / "cache")}
    done = subprocess.run(command, cwd=REPO, env=env, capture_output=True, text=True, timeout=55)
    assert (done.returncode, done.stderr) == (0, "")
    report: dict[str, Any] = json.loads(done.stdout)
    assert report["most"] < _KIB and report["workers"] < _KIB
    found: dict[str, Any] = report["found"]
    return found


@pytest.mark.slow
@pytest.mark.parametrize("product", STORES)
def test_a_store_full_of_damage_is_listed(tmp_path: Path, product: str) -> None:
    root = tmp_path / "store"
    sound = write_hostile_store(root, product)
    rows = listed(tmp_path, root)[str(root)]["rows"]
    assert sound and sound <= rows.keys()
    assert {"malformed", "tooLarge"} <= {code for codes in rows.values() for code in codes}


@pytest.mark.slow
@pytest.mark.parametrize("product", ["codex", "opencode"])
def test_a_harmed_database_hides_nothing_else(tmp_path: Path, product: str) -> None:
    stores = write_harmed_databases(tmp_path / "stores", product)
    found = listed(tmp_path, tmp_path / "stores" / "sound", *stores.values())
    whole = found[str(tmp_path / "stores" / "sound")]["rows"].keys()
    for name, root in stores.items():
        shown = found[str(root)]
        assert bool(shown["shared"]) == (name not in SILENT), name
        complete = product == "codex" or name in SILENT
        assert shown["rows"].keys() == whole if complete else set() < shown["rows"].keys() < whole, name


def test_there_are_many_kinds_of_harm() -> None:
    assert len(FILES) >= 20
    assert len(DATABASES) >= 10
