"""The tokens of a session that used several models, by model."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.api.stored.stats import StatsParams
from sidecar.api.stored.tasks import ModelUsage, TokenUsage
from sidecar.corpus.sessions.cline import write_cline
from sidecar.corpus.stores import STORES
from sidecar.history.insight import stats
from sidecar.history.listing.selection import Selection
from sidecar.history.stores.append_only.records import Damage
from sidecar.history.stores.copilot.events import EVENTS, EventFold
from sidecar.history.stores.sessions.usage import CountedOnce, Usage
from tests.history.stores.fixtures.agents import history_of as corpus_of
from tests.history.stores.fixtures.growing import append, history_of

SESSION = "00abcdef-0000-4000-8000-000000000001"
TOKENS = ("input", "output", "cache_reads", "cache_writes")


def usage(root: Path) -> TokenUsage:
    """Return the usage of the only session."""
    (task,) = history_of(root).list()
    assert task.token_usage is not None
    return task.token_usage


def sums(used: Iterable[ModelUsage | TokenUsage]) -> list[int | float | None]:
    """Sum each kind of tokens; None if it is known nowhere."""
    values = [[value for each in used if (value := getattr(each, name)) is not None] for name in TOKENS]
    return [sum(value) if value else None for value in values]


def claude_answer(number: int, model: str, output: int) -> dict[str, Any]:
    return {
        "type": "assistant",
        "uuid": f"{number:08x}-0000-4000-8000-000000000000",
        "timestamp": f"2026-04-15T10:00:{number:02}.000Z",
        "requestId": f"r{number}",
        "message": {
            "id": f"m{number}",
            "model": model,
            "content": [],
            "usage": {"input_tokens": 100, "output_tokens": output},
        },
    }


@pytest.mark.parametrize("batches", [1, 4])
def test_an_answer_of_claude_that_names_no_model_is_one_of_the_last_model(
    tmp_path: Path, batches: int
) -> None:
    root = tmp_path / "store"
    records = [claude_answer(number, model, 10) for number, model in enumerate(["opus", "", "haiku", ""])]
    path = root / "projects" / "-w" / f"{SESSION}.jsonl"
    append(path, records[: 4 // batches])
    history = history_of(root)
    history.list()
    for number in range(4 // batches, 4):
        append(path, records[number : number + 1])
        history.list()
    used = history.list()[0].token_usage
    assert used is not None and used.by_model is not None
    assert [(each.model, each.answers) for each in used.by_model] == [("opus", 2), ("haiku", 2)]


def test_an_answer_that_names_no_model_is_one_of_the_last_model() -> None:
    counted = CountedOnce()
    for number, model in enumerate(["opus", None, "haiku", None]):
        counted.add(number, Usage(output=1), model)
    counted.add(1, Usage(output=5), None)  # a copy that has more
    total = counted.total()
    assert total is not None and total.by_model is not None
    assert [(each.model, each.output) for each in total.by_model] == [("opus", 6), ("haiku", 2)]


def test_claude(tmp_path: Path) -> None:
    root = tmp_path / "store"
    models = ["opus", "haiku", "opus"]
    records = [claude_answer(number, model, number + 1) for number, model in enumerate(models)]
    append(root / "projects" / "-w" / f"{SESSION}.jsonl", records)
    assert usage(root).by_model == [
        ModelUsage(model="opus", answers=2, input=200, output=4),
        ModelUsage(model="haiku", answers=1, input=100, output=2),
    ]


def test_a_session_with_one_model_has_no_list(tmp_path: Path) -> None:
    root = tmp_path / "store"
    append(root / "projects" / "-w" / f"{SESSION}.jsonl", [claude_answer(n, "opus", 1) for n in range(3)])
    assert usage(root).by_model is None


def codex_record(second: int, kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": f"2026-04-15T10:00:{second:02}.000Z", "type": kind, "payload": payload}


def codex_turn(second: int, model: str, total: int) -> list[dict[str, Any]]:
    sums = {"input_tokens": total, "cached_input_tokens": 10, "output_tokens": total // 10}
    return [
        codex_record(second, "turn_context", cwd="/w", model=model),
        codex_record(second, "event_msg", type="user_message", message="look"),
        codex_record(second, "event_msg", type="agent_message", message="done"),
        codex_record(second, "event_msg", type="token_count", info={"total_token_usage": sums}),
    ]


def test_codex(tmp_path: Path) -> None:
    root = tmp_path / "store"
    meta = codex_record(0, "session_meta", id=SESSION, timestamp="2026-04-15T10:00:00.000Z", cwd="/w")
    turns = [*codex_turn(1, "gpt-5.4", 100), *codex_turn(2, "gpt-5.4-mini", 250)]
    name = f"rollout-2026-04-15T10-00-00-{SESSION}.jsonl"
    append(root / "sessions" / "2026" / "04" / "15" / name, [meta, *turns])
    assert usage(root).by_model == [
        ModelUsage(model="gpt-5.4", answers=1, input=90, output=10, cache_reads=10, cache_writes=0),
        ModelUsage(model="gpt-5.4-mini", answers=1, input=150, output=15, cache_reads=0, cache_writes=0),
    ]


def test_copilot_counts_the_requests_of_a_run() -> None:
    metrics = {
        "a": {"requests": {"count": 3}, "usage": {"inputTokens": 9, "outputTokens": 1}},
        "b": {"usage": {"outputTokens": 2}},
    }
    data = {"modelMetrics": metrics, "sessionStartTime": 1}
    fold = EventFold()
    fold.take(EVENTS.decode(json.dumps({"type": "session.shutdown", "data": data}).encode(), Damage()))
    total = fold.usage()
    assert total is not None
    assert total.by_model == [
        ModelUsage(model="a", answers=3, input=9, output=1),
        ModelUsage(model="b", answers=1, output=2),
    ]


@pytest.mark.parametrize("product", sorted(STORES))
def test_the_models_of_a_session_used_all_of_its_tokens(product: str, tmp_path: Path) -> None:
    root = tmp_path / "store"
    root.mkdir()
    STORES[product](root, 3, 1)
    for task in corpus_of(root).select(Selection(children=True)):
        if task.token_usage is not None and task.token_usage.by_model is not None:
            assert len(task.token_usage.by_model) > 1
            assert sums(task.token_usage.by_model) == sums([task.token_usage])


@pytest.mark.parametrize("product", sorted(STORES))
def test_the_models_add_up_to_everything(product: str, tmp_path: Path) -> None:
    root = tmp_path / "store"
    root.mkdir()
    STORES[product](root, 5, 1)
    params = StatsParams(group_by=["model"])
    result = stats(corpus_of(root), params, "structural", estimate=True)
    groups = [group.totals for group in result.groups["model"]]
    for name in ("tokens", *TOKENS, "cost", "estimated_cost", "messages", "size_bytes"):
        known = [value for group in groups if (value := getattr(group, name)) is not None]
        assert getattr(result.totals, name) == (pytest.approx(sum(known)) if known else None)


def test_recorded_costs_are_those_of_their_models() -> None:
    counted = CountedOnce()
    for key, (model, cost) in enumerate([("a", 0.5), ("b", 2.0), ("a", 0.25)]):
        counted.add(key, Usage(input=1, output=1, cost=cost), model)
    total = counted.total()
    assert total is not None and total.by_model is not None
    assert [(each.model, each.cost) for each in total.by_model] == [("a", 0.75), ("b", 2.0)]
    counted.add(3, Usage(input=1), "c")
    total = counted.total()
    assert total is not None and total.by_model is not None
    assert [each.cost for each in total.by_model] == [None, None, None]


numbers = st.none() | st.integers(0, 1_000)
answers = st.tuples(st.integers(0, 5), st.sampled_from("abc"), st.tuples(*[numbers] * 4))


@given(st.lists(answers, max_size=12))
def test_tokens_by_model_are_those_of_the_sum(given: list[tuple[int, str, Any]]) -> None:
    counted = CountedOnce()
    for key, model, tokens in given:
        counted.add(key, Usage(**dict(zip(TOKENS, tokens, strict=True))), model)
    total = counted.total()
    if total is not None and total.by_model is not None:
        assert sums(total.by_model) == sums([total])


def test_an_answer_of_an_unknown_model_leaves_the_models_out() -> None:
    counted = CountedOnce()
    for key, model in enumerate([None, "a", "b"]):
        counted.add(key, Usage(input=1), model)
    total = counted.total()
    assert total is not None
    assert total.by_model is None


def test_names_that_are_shown_alike_are_one_model(tmp_path: Path) -> None:
    counted = CountedOnce()
    for place, model in enumerate(("a\ud800", "a\ud801", "b")):
        counted.add(place, Usage(input=1, output=2), model)
    found = counted.total()
    assert found is not None and found.by_model is not None
    names = [each.model for each in found.by_model]
    assert len(names) == len(set(names)) and sums(found.by_model) == sums([found])


def test_a_cost_that_some_answers_lack_is_unknown(tmp_path: Path) -> None:
    root = tmp_path / "store"
    records = [claude_answer(number, model, 1) for number, model in enumerate(("opus", "haiku", "opus"))]
    del records[0]["message"]["usage"]
    for number in (0, 1):
        records[number]["costUSD"] = 0.5
    append(root / "projects" / "-w" / f"{SESSION}.jsonl", records)
    found = usage(root)
    assert found.cost is None
    assert [each.cost for each in found.by_model or ()] == [None, None]


def test_models_of_cline_are_unknown_if_their_caches_are_not_those_of_the_session(tmp_path: Path) -> None:
    write_cline(tmp_path, 3)
    known = {task.id for task in corpus_of(tmp_path).list() if task.token_usage and task.token_usage.by_model}
    manifests = [path for key in known for path in tmp_path.glob(f"sessions/{key}/{key}.json")]
    recorded = {path: json.loads(path.read_text()) for path in manifests}
    with_usage = {path: each for path, each in recorded.items() if "usage" in each["metadata"]}
    assert with_usage
    for path, manifest in with_usage.items():
        manifest["metadata"]["usage"]["cacheReadTokens"] += 7
        path.write_text(json.dumps(manifest))
    rows = {task.id: task.token_usage for task in corpus_of(tmp_path).list()}
    for path in with_usage:
        found = rows[path.stem]
        assert found is not None and found.by_model is None
