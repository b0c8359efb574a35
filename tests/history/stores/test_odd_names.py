"""A file whose name is not UTF-8 is not a session; it is named, and hides no other session."""

import os
import shutil
import sys
from pathlib import Path

import msgspec
import pytest

from sidecar.corpus.stores import STORES
from sidecar.corpus.truth import NOW_MS
from sidecar.history.doctor import examine
from sidecar.history.listing.selection import ListQuery, Selection
from sidecar.history.search.build import update
from sidecar.rpc.transport.encoding import encode_json
from tests.history.stores.fixtures.agents import history_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="names are Unicode there")

_ODD = os.fsdecode(b"\xff")


@pytest.mark.parametrize("product", STORES)
def test_names_that_are_not_utf_8(tmp_path: Path, product: str) -> None:
    root = tmp_path / "root"
    root.mkdir()
    STORES[product](root, 1, 1)
    before = {row.id for row in history_of(root).select(Selection(children=True))}
    for file in [path for path in root.rglob("*.json*") if path.is_file()]:
        stem, _, suffix = file.name.partition(".")
        shutil.copy(file, file.with_name(f"{stem}{_ODD}.{suffix}"))
        if stem.startswith("agent"):
            shutil.copy(file, file.with_name(f"agent-{_ODD}.{suffix}"))
    history = history_of(root)
    page = history.page(ListQuery(children=True))
    assert before <= {row.id for row in page.items}
    for unlisted in page.unlisted or ():
        assert "\ufffd" in unlisted.path and "not UTF-8" in unlisted.message
    assert msgspec.json.decode(b"".join(page.pieces()))
    assert encode_json(page.wire()) and encode_json(examine(history, NOW_MS))
    history.close()
    update(tmp_path / "search", str(root))


def test_the_subagents_are_named(tmp_path: Path) -> None:
    for product, name in (("claude", "agent-"), ("cline", "agent_")):
        root = tmp_path / product
        root.mkdir()
        STORES[product](root, 1, 1)
        agent = next(root.rglob(f"{name}*.json*"))
        odd = agent.with_name(agent.name.replace(name, name + _ODD))
        shutil.copy(agent, odd)
        history = history_of(root)
        (finding,) = [each for each in examine(history, NOW_MS).findings if each.code == "strangeName"]
        assert finding.path == str(odd)
        odd.unlink()
        assert not history.page(ListQuery(children=True)).unlisted


def test_a_linked_folder_with_such_a_name_is_named(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    STORES["claude"](root, 1, 1)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (root / "projects" / _ODD).symlink_to(elsewhere)
    page = history_of(root).page(ListQuery())
    assert [each.path for each in page.unlisted] == [str(root / "projects" / "\ufffd")]
    assert msgspec.json.decode(b"".join(page.pieces())) and encode_json(page.wire())
