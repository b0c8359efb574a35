"""A store in which nothing can be seen is found and named; the checks run as a user whom permissions bind."""

import sys
from typing import Any

import pytest

from sidecar.corpus.stores import STORES
from tests.history.stores.fixtures.all_stores import PLACES
from tests.history.stores.fixtures.own_process import printed_by

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="chmod takes no right to read away")

_LOOK = """
import json, os, shutil, sys, tempfile
from contextlib import contextmanager
from pathlib import Path
from sidecar.corpus.stores import STORES
from sidecar.corpus.truth import NOW_MS
from sidecar.history.discovery import discover_roots
from sidecar.history.doctor import examine
from sidecar.history.listing.selection import ListQuery
from sidecar.history.stores.editors import Machine
from tests.history.stores.fixtures.agents import history_of
from tests.history.stores.fixtures.all_stores import PLACES

os.umask(0o022)
home = Path(tempfile.mkdtemp())
home.chmod(0o755)
is_root = os.getuid() == 0

@contextmanager
def shut(folders):
    for folder in folders:
        folder.chmod(0)
    if is_root:
        os.setresuid(65534, 65534, 0)  # root lists everything
    try:
        yield
    finally:
        if is_root:
            os.setresuid(0, 0, 0)
        for folder in folders:
            folder.chmod(0o755)

def look(history):
    page = history.page(ListQuery(children=True))
    return {
        "ids": sorted(row.id for row in page.items),
        "list": [[each.path, each.message] for each in page.unlisted],
        "doctor": [each.path for each in examine(history, NOW_MS).findings if each.code == "unlistable"],
    }

def tops(root):
    return [path for path in root.iterdir() if path.is_dir() and path.name != "tasks"]

seen = {}
try:
    for name, write in STORES.items():
        root = home / PLACES[name]
        root.mkdir(parents=True)
        write(root, 1, 1)
        for database in root.glob("*.db*"):
            database.unlink()  # can be read, whatever the folders are
        (root / "tasks").mkdir()  # some agents have a folder of this name
        whole = look(history_of(root))
        closed = {}
        for what, folders in (("tops", tops(root)), ("root", [root])):
            with shut(folders):
                found = discover_roots(Machine(home, {}, "linux")).roots
                history = history_of(root)
                closed[what] = {"found": root in found, **look(history), "folders": [*map(str, folders)]}
            closed[what]["again"] = look(history)
        seen[name] = {"ids": whole["ids"], "closed": closed}
finally:
    shutil.rmtree(home)
print(json.dumps(seen))
"""


@pytest.fixture(scope="module")
def looks() -> dict[str, Any]:
    """What is seen of each store while its folders are closed, and after they are open again."""
    return printed_by(_LOOK)


@pytest.mark.parametrize("what", ["tops", "root"])
@pytest.mark.parametrize("name", STORES)
def test_a_store_in_which_nothing_can_be_seen_is_found_and_named(
    looks: dict[str, Any], name: str, what: str
) -> None:
    closed = looks[name]["closed"][what]
    assert closed["found"] and closed["ids"] == []
    named = [path for path, message in closed["list"] if message == "cannot be listed: Permission denied"]
    assert named and all(path.startswith(tuple(closed["folders"])) for path in named)
    assert closed["doctor"] == named
    assert PLACES[name] in named[0]


@pytest.mark.parametrize("what", ["tops", "root"])
@pytest.mark.parametrize("name", STORES)
def test_its_sessions_are_listed_when_it_is_opened(looks: dict[str, Any], name: str, what: str) -> None:
    again = looks[name]["closed"][what]["again"]
    assert again["ids"] == looks[name]["ids"] != []
    assert again["list"] == again["doctor"] == []
