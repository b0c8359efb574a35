import json
from collections.abc import Callable
from typing import Any

from sidecar.api.stored.tasks import TokenUsage
from tests.history.conftest import TASK_ID, Store

Make = Callable[..., dict[str, Any]]
PROMPT = "Why is it 5?"


def usage(store: Store, say: Make, *records: tuple[str, object], item: object = None) -> TokenUsage | None:
    messages = [say(kind, text if isinstance(text, str) else json.dumps(text)) for kind, text in records]
    store.write(ui=[say("text", PROMPT), *messages], api=[], history_item=item)
    return store.task().token_usage


def started(**figures: object) -> tuple[str, object]:
    return "api_req_started", figures


def test_requests_are_summed_and_kept_apart(store: Store, say: Make) -> None:
    first = started(tokensIn=10, tokensOut=1, cacheWrites=5, cacheReads=7, cost=0.25)
    second = started(tokensIn=20, tokensOut=2, cacheWrites=0, cacheReads=0, cost=0.5)
    expected = TokenUsage(total=33, input=30, output=3, cache_writes=5, cache_reads=7, cost=0.75)
    assert usage(store, say, first, second) == expected


def test_what_is_not_a_number_is_left_out(store: Store, say: Make) -> None:
    odd = started(tokensIn="5", tokensOut=None, cost=True)
    found = usage(store, say, odd, started(tokensIn=1, tokensOut=2), ("api_req_started", "{"))
    assert found == TokenUsage(total=3, input=1, output=2)


def test_a_finish_of_2024_completes_its_start(store: Store, say: Make) -> None:
    finish = ("api_req_finished", {"tokensIn": 4, "tokensOut": 5, "cost": 0.5})
    assert usage(store, say, started(request="x", tokensIn=1), finish) == TokenUsage(
        total=9, input=4, output=5, cost=0.5
    )


def test_rolled_back_and_subagent_requests_count(store: Store, say: Make) -> None:
    figures = {"tokensIn": 1, "tokensOut": 1, "cost": 0.5}
    found = usage(store, say, started(**figures), ("deleted_api_reqs", figures), ("subagent_usage", figures))
    assert found == TokenUsage(total=6, input=3, output=3, cost=1.5)


def test_condensing_costs(store: Store, say: Make) -> None:
    condensed = say("condense_context", contextCondense={"cost": 0.25})
    request = say("api_req_started", '{"tokensIn":1,"tokensOut":1,"cost":0.5}')
    store.write(ui=[say("text", PROMPT), request, condensed], api=[])
    found = store.task().token_usage
    assert found is not None and found.cost == 0.75


def test_a_request_that_reported_nothing_leaves_usage_unknown(store: Store, say: Make) -> None:
    assert usage(store, say, started()) is None


def test_without_a_request_the_usage_is_unknown(store: Store, say: Make) -> None:
    assert usage(store, say) is None


def test_zeros_in_the_list_entry_of_a_task_without_requests_mean_nothing(store: Store, say: Make) -> None:
    zeros = {"tokensIn": 0, "tokensOut": 0, "cacheWrites": 0, "cacheReads": 0, "totalCost": 0}
    assert usage(store, say, item={"id": TASK_ID, **zeros}) is None
    store.write(ui=b"", history_item={"id": TASK_ID, **zeros})
    assert store.task().token_usage is None


def test_zeros_in_a_request_record_are_true(store: Store, say: Make) -> None:
    found = usage(store, say, started(tokensIn=0, tokensOut=0, cost=0))
    assert found == TokenUsage(total=0, input=0, output=0, cost=0)


def test_our_own_runs_record_zeros_that_are_true(store: Store, say: Make) -> None:
    entry = {"id": TASK_ID, "product": "sidecar", "tokensIn": 0, "tokensOut": 0, "totalCost": None}
    assert usage(store, say, item=entry) == TokenUsage(total=0, input=0, output=0)


RUN: dict[str, Any] = {"id": TASK_ID, "product": "sidecar"}


def test_the_input_of_our_own_runs_excludes_cached_tokens(store: Store, say: Make) -> None:
    figures = {"tokensIn": 130, "tokensOut": 20, "cacheReads": 25, "cacheWrites": 5}
    expected = TokenUsage(total=120, input=100, output=20, cache_reads=25, cache_writes=5)
    assert usage(store, say, started(**figures), item=RUN | figures) == expected
    assert usage(store, say, started(**figures), item=RUN) == expected
    assert store.history.get(TASK_ID)[1]["tokenUsage"].note == "tokensIn without cache reads and writes"


def test_an_input_of_our_own_runs_that_is_less_than_what_was_cached_is_left_as_it_is(
    store: Store, say: Make
) -> None:
    found = usage(store, say, item=RUN | {"tokensIn": 10, "tokensOut": 2, "cacheReads": 25})
    assert found == TokenUsage(total=12, input=10, output=2, cache_reads=25)


def test_the_list_entry_of_our_own_runs_has_all_usage(store: Store, say: Make) -> None:
    reported = started(tokensIn=1009, tokensOut=104)
    item = RUN | {"tokensIn": 1982, "tokensOut": 206}
    assert usage(store, say, reported, item=item) == TokenUsage(total=2188, input=1982, output=206)
    stopped = started(cancelReason="user_cancelled")
    assert usage(store, say, stopped, item=item) == TokenUsage(total=2188, input=1982, output=206)


def test_condensing_alone_has_a_cost_but_no_tokens(store: Store, say: Make) -> None:
    store.write(ui=[say("text", PROMPT), say("condense_context", contextCondense={"cost": 0.25})], api=[])
    task, provenance = store.history.get(TASK_ID)
    assert task.token_usage == TokenUsage(cost=0.25)
    assert provenance["cost"].note == "sum of 1 condensing"


def test_the_prompt_is_not_a_usage_record(store: Store, say: Make) -> None:
    store.write(ui=[say("api_req_started", '{"tokensIn":1,"tokensOut":1}'), say("text", "x")], api=[])
    assert store.task().token_usage is None


def test_a_list_entry_replaces_a_missing_file(store: Store) -> None:
    entry = {"id": TASK_ID, "tokensIn": 3, "tokensOut": 4, "totalCost": 0.5, "cacheReads": None}
    store.write(api=[], history_item=entry)
    assert store.task().token_usage == TokenUsage(total=7, input=3, output=4, cost=0.5)


def test_messages_win_over_a_list_entry(store: Store, say: Make) -> None:
    entry = {"id": TASK_ID, "tokensIn": 3, "tokensOut": 4}
    found = usage(store, say, started(tokensIn=1, tokensOut=1), item=entry)
    assert found is not None and found.total == 2


def test_a_list_entry_without_figures_says_nothing(store: Store) -> None:
    store.write(api=[], history_item={"id": TASK_ID, "tokensIn": None, "totalCost": None})
    assert store.task().token_usage is None


def test_the_source_says_what_was_added_up(store: Store, say: Make) -> None:
    requests = [say("api_req_started", json.dumps({"cost": 0.25})) for _ in range(3)]
    condensed = say("condense_context", contextCondense={"cost": 0.5})
    store.write(ui=[say("text", PROMPT), *requests, condensed, say("api_req_started", "{}")], api=[])
    task, provenance = store.history.get(TASK_ID)
    assert task.token_usage == TokenUsage(cost=1.25)
    assert provenance["cost"].source == "ui_messages.json"
    assert provenance["cost"].note == "sum of 3 request records and 1 condensing"
