"""A folder of a store that cannot be listed is named; the checks run as a user whom permissions bind."""

import sys
from typing import Any

import pytest

from sidecar.corpus.stores import STORES
from tests.history.stores.fixtures.own_process import printed_by

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="chmod takes no right to read away")

_LOOK = """
import json, os, shutil, tempfile
from contextlib import contextmanager
from pathlib import Path
from sidecar.corpus.stores import STORES
from sidecar.corpus.truth import NOW_MS
from sidecar.history import TaskHistory
from sidecar.history.doctor import examine
from sidecar.history.listing.selection import ListQuery
from tests.history.stores.fixtures.agents import history_of

os.umask(0o022)
home = Path(tempfile.mkdtemp())
home.chmod(0o755)
is_root = os.getuid() == 0

def look(root):
    history = history_of(root)
    page = history.page(ListQuery(children=True))
    found = [each.path for each in examine(history, NOW_MS).findings if each.code == "unlistable"]
    return {
        "ids": sorted(row.id for row in page.items),
        "list": [(each.root, each.path, each.message) for each in page.unlisted],
        "doctor": found,
    }

@contextmanager
def limited(folder, mode):
    folder.chmod(mode)
    if is_root:
        os.setresuid(65534, 65534, 0)  # root lists everything
    try:
        yield
    finally:
        if is_root:
            os.setresuid(0, 0, 0)
        folder.chmod(0o755)

def unreadable(root):
    history = history_of(root)
    rows = {row.id: row for row in history.list(children=True)}
    location = history.store(str(root)).location
    return [location(key) for key, row in rows.items() if any(p.code == "unreadable" for p in row.problems)]

seen = {}
try:
    for name, write in STORES.items():
        root = home / name / "root"
        root.mkdir(parents=True)
        truths = write(root, 1, 1)
        before = look(root)
        location = history_of(root).store(str(root)).location
        places = {truth.id: Path(location(truth.id)) for truth in truths if truth.listed}
        hidden, place = next((key, place) for key, place in places.items() if place.suffix != ".db")
        with limited(place.parent, 0):
            shut = look(root)
        with limited(place.parent, 0o644):
            names = unreadable(root)
        seen[name] = {
            "root": str(root), "folder": str(place.parent), "hidden": hidden,
            "before": before, "shut": shut, "after": look(root),
            "place": str(place), "unreadable": names,
        }
finally:
    shutil.rmtree(home)
print(json.dumps(seen))
"""


@pytest.fixture(scope="module")
def looks() -> dict[str, Any]:
    """What lists and the doctor say of each store before, while and after one of its folders is closed."""
    return printed_by(_LOOK)


@pytest.mark.parametrize("name", STORES)
def test_a_folder_that_cannot_be_listed_is_named_and_its_sessions_are_listed_again(
    looks: dict[str, Any], name: str
) -> None:
    look = looks[name]
    before, shut, after = look["before"], look["shut"], look["after"]
    assert before["list"] == before["doctor"] == after["list"] == after["doctor"] == []
    assert look["hidden"] in before["ids"] and look["hidden"] not in shut["ids"]
    message = "cannot be listed: Permission denied"
    assert [look["root"], look["folder"], message] in shut["list"]
    assert look["folder"] in shut["doctor"]
    assert after["ids"] == before["ids"]


@pytest.mark.parametrize("name", STORES)
def test_sessions_in_a_folder_that_can_only_be_listed_are_listed_as_unreadable(
    looks: dict[str, Any], name: str
) -> None:
    assert looks[name]["place"] in looks[name]["unreadable"]
