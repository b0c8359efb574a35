"""What every store of an agent's sessions does, on stores with known answers."""

import json
import time
from pathlib import Path

import pytest

from sidecar.api.stored.search import SearchParams
from sidecar.corpus.truth import NOW_MS, Truth
from sidecar.history.discovery import discover_roots
from sidecar.history.doctor import examine
from sidecar.history.export import export
from sidecar.history.search import SearchService
from sidecar.history.search.build import update
from sidecar.history.stores.editors import Machine
from sidecar.history.stores.sessions import saving
from tests.history.stores.fixtures.agents import WRITERS, history_of, listed, snapshot, wrong_values

PLACES = {
    "gemini": (".gemini", "GEMINI_CLI_HOME", ".gemini"),
    "qwen": (".qwen", "QWEN_HOME", ""),
    "copilot": (".copilot", "COPILOT_HOME", ""),
}
"""Where a product keeps its store, and the variable that names another place, with the folder below it."""


@pytest.fixture(params=sorted(WRITERS))
def product(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def store(product: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, list[Truth]]:
    monkeypatch.setattr(saving, "wall_seconds", lambda: time.time() + 100)  # no file is being saved
    root = tmp_path / "a store"
    root.mkdir()
    return root, WRITERS[product](root, 7, 1)


@pytest.mark.parametrize("seed", range(3))
def test_every_value_of_every_session_is_right(product: str, seed: int, tmp_path: Path) -> None:
    truths = WRITERS[product](tmp_path, seed, 1)
    assert len(truths) >= 10
    assert wrong_values(truths, listed(history_of(tmp_path))) == []


def test_the_default_list_leaves_out_child_sessions(store: tuple[Path, list[Truth]]) -> None:
    root, truths = store
    assert listed(history_of(root), children=False).keys() == {truth.id for truth in truths if truth.listed}


def test_sound_sessions_have_no_problems(store: tuple[Path, list[Truth]]) -> None:
    root, _ = store
    rows = listed(history_of(root))
    assert {row["id"]: row["problems"] for row in rows.values() if row["problems"]} == {}


def test_the_rows_of_an_index_are_those_of_the_files(store: tuple[Path, list[Truth]]) -> None:
    root, truths = store
    first = history_of(root)
    first.refresh()
    first.close()
    assert wrong_values(truths, listed(history_of(root))) == []


def test_a_word_is_found_in_its_session_only(store: tuple[Path, list[Truth]], tmp_path: Path) -> None:
    root, truths = store
    history = history_of(root)
    update(tmp_path / "search", str(root))
    service = SearchService(tmp_path / "search", wait_seconds=60)
    try:
        for truth in truths:
            hits = service.search(history, SearchParams(text=truth.word or "")).hits
            assert {hit.task_id for hit in hits} == {truth.id}, truth.case
    finally:
        service.close()


def test_messages_are_numbered_and_the_same_from_both_ends(store: tuple[Path, list[Truth]]) -> None:
    root, truths = store
    history = history_of(root)
    for truth in truths:
        whole = history.messages(truth.id, limit=1000).messages
        assert [message.index for message in whole] == [*range(len(whole))]
        assert history.messages(truth.id, "api", limit=1000).messages == whole
        end = history.messages(truth.id, limit=2, from_="end")
        assert end.messages == whole[-2:] and end.total == len(whole)


def test_tool_calls_and_their_results_are_messages(store: tuple[Path, list[Truth]]) -> None:
    root, truths = store
    history = history_of(root)
    found = [message for truth in truths for message in history.messages(truth.id, limit=1000).messages]
    calls = {message.tool.id for message in found if message.kind == "tool" and message.tool}
    results = {message.tool.id for message in found if message.kind == "tool_result" and message.tool}
    assert results and results <= calls
    assert all(message.tool.name for message in found if message.kind == "tool" and message.tool)


def test_sessions_are_exported_and_examined(store: tuple[Path, list[Truth]]) -> None:
    root, truths = store
    history = history_of(root)
    truth = truths[0]
    assert truth.word is not None
    assert truth.word in export(history, truth.id, "markdown").text
    assert json.loads(export(history, truth.id, "json").text)["task"]["id"] == truth.id
    result = examine(history, NOW_MS)
    assert (result.roots[0].exists, result.findings) == (True, [])


def test_nothing_in_the_store_changes(store: tuple[Path, list[Truth]], tmp_path: Path) -> None:
    root, truths = store
    before = snapshot(root)
    history = history_of(root)
    listed(history)
    history.refresh()
    for truth in truths:
        history.get(truth.id)
        history.messages(truth.id)
        export(history, truth.id, "json", redact=True)
        history.store(str(root)).touched_files(truth.id)
    update(tmp_path / "search", str(root))
    examine(history, NOW_MS)
    history.close()
    assert snapshot(root) == before


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_the_store_is_found_in_the_home(product: str, platform: str, tmp_path: Path) -> None:
    root = tmp_path / PLACES[product][0]
    root.mkdir()
    WRITERS[product](root, 1, 1)
    assert discover_roots(Machine(tmp_path, {}, platform)).roots == [root]


@pytest.mark.parametrize("product", sorted(WRITERS))
def test_the_environment_names_another_place(product: str, tmp_path: Path) -> None:
    _, variable, below = PLACES[product]
    root = tmp_path / "other" / below
    root.mkdir(parents=True)
    WRITERS[product](root, 1, 1)
    machine = Machine(tmp_path / "home", {variable: str(tmp_path / "other")}, "linux")
    assert discover_roots(machine).roots == [root]


@pytest.mark.parametrize("value", ["", "relative/folder", "~/folder"])
@pytest.mark.parametrize("product", sorted(WRITERS))
def test_a_variable_without_a_whole_path_names_nothing(product: str, value: str, tmp_path: Path) -> None:
    folder, variable, _ = PLACES[product]
    (tmp_path / folder).mkdir()
    WRITERS[product](tmp_path / folder, 1, 1)
    assert discover_roots(Machine(tmp_path, {variable: value}, "linux")).roots == [tmp_path / folder]


def test_every_place_of_qwen_is_searched(tmp_path: Path) -> None:
    roots = [tmp_path / "run", tmp_path / "named", tmp_path / ".qwen"]
    for seed, root in enumerate(roots):
        root.mkdir()
        WRITERS["qwen"](root, seed, 1)
    named = {"QWEN_RUNTIME_DIR": str(roots[0]), "QWEN_HOME": str(roots[1])}
    assert discover_roots(Machine(tmp_path, named, "linux")).roots == roots


@pytest.mark.parametrize("home", [".qwen", "named"])
def test_the_setting_of_qwen_that_moves_the_chats_is_read(tmp_path: Path, home: str) -> None:
    (tmp_path / "moved" / "here").mkdir(parents=True)
    WRITERS["qwen"](tmp_path / "moved" / "here", 1, 1)
    (tmp_path / home).mkdir()
    settings = '{ // a comment\n "advanced": {"runtimeOutputDir": "~/moved/here"} }'
    (tmp_path / home / "settings.json").write_text(settings)
    named = {"QWEN_HOME": str(tmp_path / home)} if home == "named" else {}
    assert discover_roots(Machine(tmp_path, named, "linux")).roots == [tmp_path / "moved" / "here"]
