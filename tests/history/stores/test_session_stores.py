"""The stores of other agents: every field is true, every command works, and nothing in a store changes."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from sidecar.api.stored.files import ByFileParams
from sidecar.api.stored.search import SearchParams
from sidecar.api.stored.stats import StatsParams
from sidecar.corpus.sessions.cline import write_cline
from sidecar.corpus.sessions.compare import differences
from sidecar.corpus.sessions.opencode import write_opencode
from sidecar.corpus.sessions.plot import NOW
from sidecar.history import TaskHistory
from sidecar.history.doctor import examine
from sidecar.history.export import export
from sidecar.history.insight import by_file, files, stats
from sidecar.history.listing.selection import ListQuery
from sidecar.history.live import LiveHistory
from sidecar.history.search import SearchService
from sidecar.history.search.build import update
from tests.history.live.conftest import until
from tests.history.stores.fixtures.foreign_files import seen

Truth = dict[str, dict[str, Any]]
Write = Callable[[Path, int], Any]


@contextmanager
def opencode(root: Path, seed: int) -> Iterator[Truth]:
    written = write_opencode(root, seed)
    yield written.truth
    written.close()


@contextmanager
def kilo(root: Path, seed: int) -> Iterator[Truth]:
    written = write_opencode(root, seed, product="kilo")
    yield written.truth
    written.close()


@contextmanager
def cline(root: Path, seed: int) -> Iterator[Truth]:
    yield write_cline(root, seed)


STORES = [opencode, kilo, cline]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep the copies of databases away from the user's cache."""
    monkeypatch.setenv("SIDECAR_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def history_of(root: Path) -> TaskHistory:
    return TaskHistory([root], now=lambda: NOW, cache=root.parent / "index")


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_field_of_every_session_is_true(tmp_path: Path, store: Any, seed: int) -> None:
    with store(tmp_path / "root", seed) as truth:
        history = history_of(tmp_path / "root")
        assert differences(history.list(children=True), truth) == []
        top = {key for key, row in truth.items() if row["parentId"] is None}
        assert {task.id for task in history.list()} == top
        assert history.list(rules="guide") == []


@pytest.mark.parametrize("store", STORES)
def test_a_second_process_lists_the_same_from_the_index(tmp_path: Path, store: Any) -> None:
    with store(tmp_path / "root", 4) as truth:
        first = history_of(tmp_path / "root")
        before = first.list(children=True)
        first.close()
        assert history_of(tmp_path / "root").list(children=True) == before
        assert differences(before, truth) == []


@pytest.mark.parametrize("store", STORES)
def test_a_single_session_has_the_values_of_its_row(tmp_path: Path, store: Any) -> None:
    with store(tmp_path / "root", 5):
        history = history_of(tmp_path / "root")
        for row in history.list(children=True):
            task, provenance = history.get(row.id)
            assert task == row
            assert provenance["title"].source


@pytest.mark.parametrize("store", STORES)
def test_nothing_in_a_store_changes(tmp_path: Path, store: Any) -> None:
    root = tmp_path / "root"
    with store(root, 6) as truth:
        before = seen(root)
        history = history_of(root)
        key = next(iter(truth))
        _use_everything(history, tmp_path, key)
        assert seen(root) == before


def _use_everything(history: TaskHistory, tmp_path: Path, key: str) -> None:
    root = history.roots[0].path
    history.page(ListQuery(children=True))
    history.refresh()
    history.get(key)
    for kind in ("ui", "api"):
        history.messages(key, kind)
    export(history, key, "markdown", redact=True)
    export(history, key, "json")
    stats(history, StatsParams(group_by=["product", "model"]), "structural")
    files(history, key)
    by_file(history, ByFileParams(path="a.py"))
    history.list(query="file:a.py parent:x")
    examine(history, NOW)
    update(tmp_path / "search", root)
    service = SearchService(tmp_path / "search", wait_seconds=60)
    service.search(history, SearchParams(text="cache"))
    service.close()
    live = LiveHistory(history, lambda changes: None)
    live.start()
    until(lambda: live.state.mode == "watch", "mode watch")
    live.close(5)
    history.close()


@pytest.mark.slow
@pytest.mark.parametrize("store", STORES)
def test_no_command_changes_anything_in_a_store(tmp_path: Path, store: Any) -> None:
    root = tmp_path / "root"
    with store(root, 7) as truth:
        key, before = next(iter(truth)), seen(root)
        environment = {**os.environ, "HOME": str(tmp_path / "home"), "SIDECAR_NOW_MS": str(NOW)}
        for command in (["list", "--children"], ["show", key], ["export", key], ["doctor"], ["stats"]):
            argv = [sys.executable, "-m", "sidecar", *command, "--root", str(root)]
            done = subprocess.run(argv, capture_output=True, env=environment, check=False, timeout=120)
            assert done.returncode == 0, (command, done.stderr)
        assert seen(root) == before


@pytest.mark.parametrize("store", STORES)
def test_words_are_found_in_the_session_that_holds_them(tmp_path: Path, store: Any) -> None:
    root = tmp_path / "root"
    with store(root, 8) as truth:
        history = history_of(root)
        update(tmp_path / "search", str(root))
        service = SearchService(tmp_path / "search", wait_seconds=60)
        for key in list(truth)[:5]:
            prompt = next(each.text or "" for each in history.messages(key).messages if each.role == "user")
            found = service.search(history, SearchParams(text=prompt.split()[-1])).hits
            assert key in {hit.task_id for hit in found}
        service.close()


@pytest.mark.parametrize("store", STORES)
def test_totals_count_each_answer_once(tmp_path: Path, store: Any) -> None:
    with store(tmp_path / "root", 9) as truth:
        found = stats(history_of(tmp_path / "root"), StatsParams(), "structural")
        assert found.totals.tokens == sum(row["tokenUsage"]["total"] for row in truth.values())
        assert found.totals.tasks == len(truth)


@pytest.mark.parametrize("store", STORES)
def test_messages_are_numbered_and_show_tools_thoughts_and_diffs(tmp_path: Path, store: Any) -> None:
    with store(tmp_path / "root", 10) as truth:
        history = history_of(tmp_path / "root")
        kinds: set[str] = set()
        texts: list[str] = []
        for key in truth:
            messages = history.messages(key, limit=20_000).messages
            assert [message.index for message in messages] == list(range(len(messages)))
            kinds |= {message.kind for message in messages}
            texts += [message.text or "" for message in messages if message.kind == "tool"]
        assert kinds >= {"text", "reasoning", "tool", "tool_result"}
        assert any(text.endswith("-one\n-two\n+one\n+2\n+3") for text in texts)


@pytest.mark.parametrize("store", STORES)
def test_files_have_the_changed_lines(tmp_path: Path, store: Any) -> None:
    with store(tmp_path / "root", 11):
        history = history_of(tmp_path / "root")
        found = by_file(history, ByFileParams(path="src/a.py")).items
        actions = {action for each in found for action in each.file.actions}
        assert actions == {"read", "edited", "created"}
        assert all((each.file.additions or 0) >= 0 for each in found)
        assert any(each.file.deletions for each in found)
