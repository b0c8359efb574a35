"""Estimated costs: apart from recorded ones everywhere, and only when requested."""

import sys
from pathlib import Path

import pytest

from sidecar.api.stored.stats import StatsParams
from sidecar.api.stored.tasks import ModelUsage, TokenUsage
from sidecar.corpus.copilot import write_copilot
from sidecar.corpus.truth import Truth
from sidecar.history import TaskHistory, insight, prices
from sidecar.history.export import export
from sidecar.history.listing.selection import Selection
from sidecar.history.prices import Estimates, table_name
from tests.history.conftest import Store
from tests.history.stores.fixtures.agents import history_of
from tests.history.stores.fixtures.growing import append

ESTIMATED = Selection(estimate=True)


@pytest.fixture
def sessions(tmp_path: Path) -> tuple[TaskHistory, list[Truth]]:
    root = tmp_path / "store"
    root.mkdir()
    truths = write_copilot(root, 5, 1)
    return history_of(root), truths


def test_costs_are_estimated_only_on_request(sessions: tuple[TaskHistory, list[Truth]]) -> None:
    history, _ = sessions
    assert {row.token_usage and row.token_usage.estimated_cost for row in history.list()} == {None}
    rows = history.select(ESTIMATED)
    assert any(row.token_usage and row.token_usage.estimated_cost for row in rows)
    assert all(row.token_usage is None or row.token_usage.cost is None for row in rows)


def test_an_estimate_follows_the_table(sessions: tuple[TaskHistory, list[Truth]]) -> None:
    from genai_prices import Usage, calc_price

    history, truths = sessions
    truth = next(each for each in truths if each.case == "one shutdown")
    used = truth.token_usage or {}
    whole = Usage(
        input_tokens=used["input"] + used["cacheReads"] + used["cacheWrites"],
        output_tokens=used["output"],
        cache_read_tokens=used["cacheReads"],
        cache_write_tokens=used["cacheWrites"],
    )
    task, provenance = history.get(truth.id, estimate=True)
    assert task.token_usage is not None
    assert task.token_usage.estimated_cost == pytest.approx(
        float(calc_price(whole, truth.model or "").total_price)
    )
    assert provenance["estimatedCost"].source == table_name()


def claude_answer(number: int, model: str) -> dict[str, object]:
    usage = {
        "input_tokens": 9_924,
        "output_tokens": 65_652,
        "cache_read_input_tokens": 1_176,
        "cache_creation_input_tokens": 708,
        "cache_creation": {"ephemeral_5m_input_tokens": 236, "ephemeral_1h_input_tokens": 472},
    }
    return {
        "type": "assistant",
        "uuid": f"{number:08x}-0000-4000-8000-000000000000",
        "timestamp": "2026-04-15T11:00:00.000Z",
        "requestId": f"r{number}",
        "message": {"id": f"m{number}", "model": model, "content": [], "usage": usage},
    }


@pytest.mark.parametrize("models", [["claude-haiku-4-5"], ["claude-haiku-4-5", "claude-sonnet-4-5"]])
def test_what_a_cache_holds_for_an_hour_has_its_own_price(tmp_path: Path, models: list[str]) -> None:
    root = tmp_path / "store"
    file = root / "projects" / "-w" / "00abcdef-0000-4000-8000-000000000001.jsonl"
    append(file, [claude_answer(number, model) for number, model in enumerate(models)])
    (task,) = history_of(root).select(ESTIMATED)
    assert task.token_usage is not None
    assert task.token_usage.long_cache_writes == 472 * len(models)
    haiku = 0.3395406  # as Claude Code 2.1.318 itself calculates it
    wanted = haiku if len(models) == 1 else 4 * haiku  # the prices of Sonnet are three times those of Haiku
    assert task.token_usage.estimated_cost == pytest.approx(wanted)


def test_what_is_not_known_is_not_estimated(sessions: tuple[TaskHistory, list[Truth]]) -> None:
    history, truths = sessions
    killed = next(each for each in truths if each.case == "killed in a tool")
    task, _ = history.get(killed.id, estimate=True)
    assert task.token_usage == TokenUsage(output=(killed.token_usage or {})["output"])
    unknown = Estimates()
    known, _ = history.get(truths[0].id)
    known.model = "a-model-of-my-own"
    assert unknown.info(known) is known


def test_a_recorded_cost_is_never_estimated(store: Store, say: object) -> None:
    usage = TokenUsage(input=1_000_000, output=1_000_000, total=2_000_000, cost=0.5)
    store.write(ui=[{"ts": 1_770_000_000_000, "type": "say", "say": "text", "text": "x"}], api=[])
    task = store.task()
    task.token_usage, task.model = usage, "gemini-3-pro-preview"
    assert Estimates().info(task) is task


def test_sums_keep_estimates_apart(sessions: tuple[TaskHistory, list[Truth]]) -> None:
    history, _ = sessions
    plain = insight.stats(history, StatsParams(), "structural")
    assert (plain.totals.estimated_cost, plain.totals.tasks_with_estimated_cost, plain.prices) == (None,) * 3
    result = insight.stats(history, StatsParams(), "structural", estimate=True)
    rows = history.select(ESTIMATED)
    estimates = [row.token_usage.estimated_cost for row in rows if row.token_usage]
    known = [each for each in estimates if each is not None]
    assert result.totals.estimated_cost == pytest.approx(sum(known))
    assert (result.totals.tasks_with_estimated_cost, result.totals.cost) == (len(known), None)
    assert result.prices == table_name()


def test_a_query_compares_recorded_and_estimated_costs_apart(
    sessions: tuple[TaskHistory, list[Truth]],
) -> None:
    history, _ = sessions
    assert history.select(Selection(query="cost>=0", estimate=True)) == []
    assert history.select(Selection(query="estimate>0", estimate=True))
    assert history.select(Selection(query="estimate>0")) == []


def test_an_export_names_an_estimate(sessions: tuple[TaskHistory, list[Truth]]) -> None:
    history, truths = sessions
    text = export(history, truths[0].id, "markdown", estimate=True).text
    assert "**Estimated cost**: $" in text and "**Cost**" not in text
    assert "Estimated cost" not in export(history, truths[0].id, "markdown").text


def test_without_the_extra_nothing_is_estimated(
    sessions: tuple[TaskHistory, list[Truth]],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    history, truths = sessions
    monkeypatch.setitem(sys.modules, "genai_prices", None)
    assert history.get(truths[0].id, estimate=True)[0].token_usage == history.get(truths[0].id)[0].token_usage
    assert prices.EXTRA in caplog.text


def test_many_short_requests_do_not_cost_as_much_as_a_long_one(
    sessions: tuple[TaskHistory, list[Truth]],
) -> None:
    history, truths = sessions
    task, _ = history.get(truths[0].id)
    task.model = "claude-sonnet-4-5"  # costs twice as much for requests of more than 200,000 tokens
    task.token_usage = TokenUsage(input=5_000_000, output=100_000, total=5_100_000)
    costs = []
    for messages in (1, 100):
        task.message_count = messages
        estimated = Estimates().info(task).token_usage
        costs.append(estimated and estimated.estimated_cost)
    assert costs == pytest.approx([32.25, 16.5])


def test_each_model_has_its_own_price(sessions: tuple[TaskHistory, list[Truth]]) -> None:
    history, truths = sessions
    task, _ = history.get(truths[0].id)
    task.model = "claude-haiku-4-5"
    task.token_usage = TokenUsage(
        input=500_000,
        output=10_000,
        by_model=[
            ModelUsage(model="claude-opus-4-1", answers=9, input=450_000, output=9_000),
            ModelUsage(model="claude-haiku-4-5", answers=1, input=50_000, output=1_000),
        ],
    )
    estimated = Estimates().info(task).token_usage
    assert estimated is not None
    assert estimated.estimated_cost == pytest.approx(7.48)
    task.token_usage.by_model[0].model = "a-model-of-my-own"  # type: ignore[index]  # set above
    assert Estimates().info(task) is task
