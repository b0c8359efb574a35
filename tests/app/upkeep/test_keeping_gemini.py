"""Chats that Gemini CLI deletes are announced, and stay listed when `history.keep` names the product."""

import json
import os
import shutil
from pathlib import Path

import msgspec
import pytest

from sidecar.api.settings import HistorySettings
from sidecar.api.stored.stats import StatsParams
from sidecar.app.upkeep.keeping import Keeping
from sidecar.corpus.gemini import write_gemini
from sidecar.history import TaskHistory
from sidecar.history.doctor import examine
from sidecar.history.export import export
from sidecar.history.insight import stats
from sidecar.history.stores.gemini.retention import deletes_after
from sidecar.history.stores.status_by_age import DAY_MS
from sidecar.storage.layout import OwnRoot
from tests.app.upkeep.test_keeping import DESTROYERS, Claude, Destroyer, assert_listed_as_before
from tests.history.conftest import NOW
from tests.history.stores.fixtures.agents import snapshot


class Gemini(Claude):
    """A store of Gemini CLI whose chats are due, a history of it, and the keeping of copies."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.root = path / "gemini"
        self.own = OwnRoot(path / "own")
        self.root.mkdir()
        write_gemini(self.root, 4, 2)
        self.age(40)
        self.settings = HistorySettings(keep=["gemini"])
        self.changed: list[str] = []
        self.history: TaskHistory = self.opened()
        self.keeping = Keeping(self, self, lambda: NOW, self.changed.extend)

    def age(self, days: float) -> None:
        for file in self.root.rglob("*.json*"):
            os.utime(file, ((NOW - days * DAY_MS) / 1000,) * 2)

    def delete_all(self) -> None:
        for chats in self.root.glob("tmp/*/chats"):
            shutil.rmtree(chats)


@pytest.fixture
def gemini(tmp_path: Path) -> Gemini:
    return Gemini(tmp_path)


def test_deleted_chats_stay_listed_with_the_same_values(gemini: Gemini) -> None:
    before = gemini.rows()
    copied = gemini.keeping.keep()
    assert len(copied) > 10
    assert gemini.rows() == {name: msgspec.structs.replace(row, kept=True) for name, row in before.items()}
    texts = {name: export(gemini.history, name, "markdown").text for name in before}
    gemini.delete_all()
    for history in (gemini.history, gemini.opened()):
        assert_listed_as_before(gemini, history, before)
        assert {name: export(history, name, "markdown").text for name in before} == texts


@pytest.mark.parametrize("destroy", DESTROYERS)
def test_a_copy_replaces_a_chat_that_lost_its_content(gemini: Gemini, destroy: Destroyer) -> None:
    before = gemini.rows()
    gemini.keeping.keep()
    sound = gemini.rows()
    for file in gemini.kept_files():
        destroy(file)
    gemini.history.touch(str(gemini.root), [*before])
    for history in (gemini.history, gemini.opened()):
        assert_listed_as_before(gemini, history, before)
        assert all(history.messages(name).total for name in before)
    assert gemini.keeping.keep() == []
    assert gemini.rows() == sound


def test_a_deleted_copy_leaves_the_list_with_the_original_gone(gemini: Gemini) -> None:
    gemini.keeping.keep()
    gemini.delete_all()
    gemini.history.refresh()
    name = next(iter(gemini.rows()))
    assert gemini.keeping.remove(gemini.history.roots[1], name)
    gemini.history.refresh()
    assert name not in gemini.rows()


def test_due_chats_are_announced_until_they_are_kept(gemini: Gemini) -> None:
    due = stats(gemini.history, StatsParams(), "structural").due_deletion
    assert due is not None and due.products == ["gemini"]
    (found,) = (each for each in examine(gemini.history, NOW).findings if each.code == "dueDeletion")
    assert "30 days after its last change" in found.message
    gemini.keeping.keep()
    assert stats(gemini.history, StatsParams(), "structural").due_deletion is None


def test_a_chat_that_was_resumed_is_kept_at_once_because_its_product_deletes_it_next(gemini: Gemini) -> None:
    gemini.age(0)
    gemini.history.refresh()
    assert stats(gemini.history, StatsParams(), "structural").due_deletion is None
    head = {
        "sessionId": (key := "abcdef01-1111-4111-8111-111111111111"),
        "startTime": "2026-04-15T11:00:00.000Z",
    }
    prompt = {"id": "1", "type": "user", "content": [{"text": "a prompt"}]}
    context = {"id": "0", "type": "user", "content": [{"text": "<session_context>"}]}
    chats = gemini.root / "tmp" / "resumed" / "chats"
    chats.mkdir(parents=True)
    for minute, message in (("00", prompt), ("01", context)):
        file = chats / f"session-2026-04-15T11-{minute}-{key[:8]}.jsonl"
        file.write_text(f"{json.dumps(head)}\n{json.dumps(message)}\n")
        os.utime(file, (NOW / 1000,) * 2)
    file = chats / key / "child.jsonl"
    file.parent.mkdir()
    part = {"sessionId": "child", "startTime": head["startTime"], "kind": "subagent"}
    file.write_text(f"{json.dumps(part)}\n{json.dumps({**prompt, 'id': '2'})}\n")
    os.utime(file, (NOW / 1000,) * 2)
    gemini.history.refresh()
    due = stats(gemini.history, StatsParams(), "structural").due_deletion
    assert due is not None and due.tasks == 1
    (found,) = (each for each in examine(gemini.history, NOW).findings if each.code == "dueDeletion")
    assert "at its next start" in found.message
    assert sorted(gemini.keeping.keep()) == [key, "child"], "its product deletes the children too"
    shutil.rmtree(chats)
    gemini.history.refresh()
    assert gemini.rows()[key].kept
    assert gemini.keeping.keep() == []


def test_keeping_does_not_write_to_the_store(gemini: Gemini) -> None:
    before = snapshot(gemini.root)
    gemini.keeping.keep()
    gemini.rows()
    assert snapshot(gemini.root) == before


@pytest.mark.parametrize(
    ("settings", "days"),
    [
        ({}, 30),
        ({"general": {"sessionRetention": {"maxAge": "7d"}}}, 7),
        ({"general": {"sessionRetention": {"maxAge": "48h"}}}, 2),
        ({"general": {"sessionRetention": {"maxAge": "2w"}}}, 14),
        ({"general": {"sessionRetention": {"maxAge": "1m"}}}, 30),
        ({"general": {"sessionRetention": {"maxAge": "1h"}}}, None),
        ({"general": {"sessionRetention": {"maxAge": "soon"}}}, None),
        ({"general": {"sessionRetention": {"enabled": False}}}, None),
        ({"general": "broken"}, 30),
    ],
)
def test_the_settings_of_gemini_decide_how_long_chats_stay(
    tmp_path: Path, settings: object, days: int | None
) -> None:
    (tmp_path / "settings.json").write_text(json.dumps(settings))
    assert deletes_after(str(tmp_path)) == (None if days is None else days * DAY_MS)


@pytest.mark.parametrize(
    ("settings", "days"),
    [
        ('// my settings\n{"general": {"sessionRetention": {"maxAge": "7d"}}}', 7),
        ('{"general": {"sessionRetention": {"enabled": false}} /* off */}', None),
        ('{"theme": "a // b /* c", "general": {"sessionRetention": {"maxAge": "7d" /* "9d" */}}} // "', 7),
        ('\ufeff{"general": {"sessionRetention": {"maxAge": "7d"}}}', 7),
        ('{"general": {"sessionRetention": {"maxAge": "999999999999999999999999999d"}}}', 10**8),
        ('{"general": {"sessionRetention": {"maxAge": "0000000007d"}}}', 7),
        ('{"general": {"sessionRetention": {"maxAge": "0d"}}}', None),
        ("/* never closed", 30),
        ("", 30),
    ],
)
def test_settings_may_have_comments(tmp_path: Path, settings: str, days: int | None) -> None:
    written = tmp_path / "written.json"
    written.write_text(settings, encoding="utf-8")
    (tmp_path / "settings.json").symlink_to(written)
    assert deletes_after(str(tmp_path)) == (None if days is None else days * DAY_MS)
