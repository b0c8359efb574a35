import json
from pathlib import Path

import pytest

from sidecar.cli.main import main
from sidecar.corpus.compare import FIELDS, mismatches, score
from sidecar.corpus.stores import STORES
from sidecar.corpus.truth import NOW_MS
from sidecar.history.stores.status_by_age import by_age
from tests.history.stores.fixtures.agents import snapshot


def contents(folder: Path) -> dict[str, object]:
    return {str(Path(name).relative_to(folder)): found[-1] for name, found in snapshot(folder).items()}


def test_the_same_seed_writes_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "other"):
        assert main(["corpus", str(tmp_path / name), "--seed", "3"]) == 0
    assert contents(tmp_path / "one") == contents(tmp_path / "other")
    assert main(["corpus", str(tmp_path / "third"), "--seed", "4"]) == 0
    assert contents(tmp_path / "third") != contents(tmp_path / "one")


def test_every_session_has_an_answer_with_every_value(tmp_path: Path) -> None:
    assert main(["corpus", str(tmp_path), "--rounds", "2"]) == 0
    truths = [json.loads(line) for line in (tmp_path / "truth.jsonl").read_text().splitlines()]
    assert {truth["store"] for truth in truths} == STORES.keys()
    assert len({(truth["store"], truth["id"]) for truth in truths}) == len(truths)
    words = [truth["word"] for truth in truths if truth["word"]]
    assert len(set(words)) == len(words)
    for truth in truths:
        assert list(mismatches(truth, truth)) == []


def test_the_stores_whose_agents_have_subagents_have_child_sessions(tmp_path: Path) -> None:
    assert main(["corpus", str(tmp_path), "--rounds", "3"]) == 0
    truths = [json.loads(line) for line in (tmp_path / "truth.jsonl").read_text().splitlines()]
    children = {truth["store"] for truth in truths if truth["parentId"]}
    assert children == STORES.keys() - {"copilot"}
    whole = {truth["store"] for truth in truths if "withChildren" in (truth["tokenUsage"] or {})}
    assert children == whole


def test_sessions_of_all_stores_change_their_model(tmp_path: Path) -> None:
    assert main(["corpus", str(tmp_path), "--rounds", "3"]) == 0
    truths = [json.loads(line) for line in (tmp_path / "truth.jsonl").read_text().splitlines()]
    assert {truth["store"] for truth in truths if truth["tokenUsage"].get("byModel")} == STORES.keys()


def test_a_score_counts_the_wrong_tokens_of_a_model() -> None:
    models = [{"model": "a", "answers": 1, "input": 4}, {"model": "b", "answers": 2, "input": 5}]
    truth = {"id": "a", "tokenUsage": {"input": 9, "byModel": models}}
    for wrong in (None, models[:1], [*models, models[0]], [models[0], {**models[1], "input": 6}]):
        row = {"id": "a", "tokenUsage": {"input": 9, "byModel": wrong}}
        assert [name for name, _, _ in mismatches(truth, row)] == ["byModel"]
    assert not list(mismatches(truth, truth))


@pytest.mark.slow
def test_an_interrupted_session_has_the_status_of_its_age(tmp_path: Path) -> None:
    assert main(["corpus", str(tmp_path), "--rounds", "20"]) == 0
    truths = [json.loads(line) for line in (tmp_path / "truth.jsonl").read_text().splitlines()]
    open_ones = [truth for truth in truths if truth["store"] in ("claude", "codex", "qwen")]
    open_ones = [truth for truth in open_ones if truth["outcome"] == "interrupted"]
    ages = [(truth["status"], by_age(truth["lastActivity"], NOW_MS)) for truth in open_ones]
    assert {status for status, _ in ages} >= {"active", "abandoned"}
    assert [stated for stated, _ in ages] == [right for _, right in ages]


def test_a_folder_with_files_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine").write_text("x")
    assert main(["corpus", str(tmp_path)]) == 2
    assert "not empty" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_a_score_counts_wrong_missing_and_extra_rows() -> None:
    truth = {"id": "a", "title": "T", "tokenUsage": {"input": 1, "cost": None}, "status": "completed"}
    other = {**truth, "id": "b"}
    wrong = {**truth, "tokenUsage": {"input": 2}}
    found = score([truth, other], [wrong, {"id": "c"}])
    assert (found.sessions, found.missing, found.extra) == (2, 1, 1)
    assert {name for name in FIELDS if not found.right[name]} == {"input"}
