import os
from collections.abc import Callable
from typing import Any

import pytest

from sidecar.history.stores.status_by_age import by_age, next_change
from tests.history.conftest import HOUR, NOW, TASK_ID, Store

Make = Callable[..., dict[str, Any]]
DAY = 24 * HOUR
AWAITED = ("followup", "command", "use_mcp_server", "plan_mode_respond", "auto_approval_max_req_reached")


def outcome(store: Store, *messages: dict[str, Any], item: object = None) -> tuple[str, str]:
    prompt = {"ts": NOW - HOUR, "type": "say", "say": "text", "text": "Do it"}
    store.write(ui=[prompt, *messages], api=[], history_item=item)
    task = store.task()
    return task.status, task.outcome


def test_a_completion_ask_at_the_end_is_completed(store: Store, ask: Make) -> None:
    assert outcome(store, ask("completion_result")) == ("completed", "completed")


def test_opening_a_task_again_changes_nothing(store: Store, ask: Make) -> None:
    later = NOW - 60_000
    assert outcome(store, ask("completion_result"), ask("resume_completed_task", ts=later))[0] == "completed"
    assert store.task().last_activity == NOW - HOUR
    assert store.history.get(TASK_ID)[1]["lastActivity"].note == f"opened again at {later}"


@pytest.mark.parametrize("kind", ["checkpoint_saved", "task_progress", "reasoning", "command_output"])
def test_routine_messages_are_skipped(store: Store, say: Make, ask: Make, kind: str) -> None:
    assert outcome(store, ask("completion_result"), say(kind, "x"))[0] == "completed"


def test_a_completion_that_was_answered_does_not_count(store: Store, say: Make) -> None:
    assert outcome(store, say("completion_result", "Done"), say("user_feedback", "No"))[0] == "active"


def test_a_completion_that_is_still_streaming_does_not_count(store: Store, say: Make) -> None:
    assert outcome(store, say("completion_result", "Do", partial=True)) == ("active", "streaming")


def test_a_finished_subtask_is_completed_though_its_list_entry_is_open(store: Store, ask: Make) -> None:
    entry = {"id": TASK_ID, "ts": NOW, "task": "Do it", "status": "active"}
    finish = ask("tool", '{"tool":"finishTask"}')
    assert outcome(store, finish, item=entry) == ("completed", "completed")
    assert "not handed back" in str(store.history.get(TASK_ID)[1]["status"].note)


@pytest.mark.parametrize("kind", ["api_req_failed", "mistake_limit_reached"])
def test_giving_up_is_failed(store: Store, ask: Make, kind: str) -> None:
    assert outcome(store, ask(kind, "503")) == ("failed", "failed")


@pytest.mark.parametrize("reason", ["streaming_failed", "retries_exhausted"])
def test_a_last_request_that_broke_off_is_failed(store: Store, say: Make, reason: str) -> None:
    assert outcome(store, say("api_req_started", f'{{"cancelReason":"{reason}"}}'))[0] == "failed"


def test_a_request_that_broke_off_before_another_is_forgotten(store: Store, say: Make, ask: Make) -> None:
    broken = say("api_req_started", '{"cancelReason":"streaming_failed"}')
    assert outcome(store, broken, say("api_req_started", '{"tokensIn":1}'))[0] == "active"


@pytest.mark.parametrize("kind", ["error", "diff_error", "api_req_retried", "error_retry"])
def test_routine_trouble_is_not_a_failure(store: Store, say: Make, kind: str) -> None:
    assert outcome(store, say(kind, "failed with an exception"))[0] == "active"


def test_a_cancelled_request_is_cancelled(store: Store, say: Make) -> None:
    request = say("api_req_started", '{"tokensIn":1,"cancelReason":"user_cancelled"}')
    assert outcome(store, request, say("text", "I will now")) == ("active", "cancelled")


RETRIES = ("api_req_retry_delayed", "error_retry", "api_req_retried")
FAILING = "429 Too Many Requests\n\nRetry attempt 1\nRetrying in 5 seconds..."


@pytest.mark.parametrize("partial", [True, False])
@pytest.mark.parametrize("kind", RETRIES)
def test_a_retry_without_an_answer_before_the_task_was_opened_again_is_failed(
    store: Store, say: Make, ask: Make, kind: str, partial: bool
) -> None:
    retry = say(kind, FAILING, partial=partial)
    assert outcome(store, say("api_req_started", "{}"), retry, ask("resume_task")) == ("failed", "failed")


def test_a_retry_at_the_end_streams_for_a_day_and_has_failed_then(store: Store, say: Make) -> None:
    retry = say("api_req_retry_delayed", FAILING, partial=True)
    assert outcome(store, say("api_req_started", "{}"), retry) == ("active", "streaming")
    store.now = NOW - HOUR + DAY - 1
    assert (store.task().status, store.task().outcome) == ("active", "streaming")
    store.now += 1
    assert (store.task().status, store.task().outcome) == ("failed", "failed")
    note = store.history.get(TASK_ID)[1]["outcome"].note
    assert note == "api_req_retry_delayed, and no answer after it"


def test_the_outcome_under_the_guide_grows_old_too(store: Store, say: Make) -> None:
    folder = store.write(ui=[say("text", "x"), say("text", "y", partial=True)], api=[{"role": "user"}])
    assert folder.is_dir()
    assert [task.outcome for task in store.history.list(rules="guide")] == ["streaming"]
    store.now += DAY
    assert [task.outcome for task in store.history.list(rules="guide")] == ["interrupted"]


def test_a_pause_of_the_rate_limit_is_not_a_failure(store: Store, say: Make, ask: Make) -> None:
    pause = say("api_req_retry_delayed", "Rate limiting for 3 seconds...", partial=True)
    assert outcome(store, say("api_req_started", "{}"), pause) == ("active", "streaming")
    assert outcome(store, say("api_req_started", "{}"), pause, ask("resume_task")) == (
        "active",
        "interrupted",
    )


@pytest.mark.parametrize("partial", [True, False])
def test_a_request_cancelled_during_a_tool_is_cancelled(
    store: Store, say: Make, ask: Make, partial: bool
) -> None:
    request = say("api_req_started", '{"tokensIn":1,"cancelReason":"user_cancelled"}')
    text, tool = say("text", "I will now"), '{"tool":"editedExistingFile","path":"a.py"}'
    assert outcome(store, request, text, say("tool", tool, partial=partial)) == ("active", "cancelled")
    assert outcome(store, request, text, ask("tool", tool, partial=partial)) == ("active", "cancelled")


def test_a_cancelled_request_after_which_the_user_continued_is_past(
    store: Store, say: Make, ask: Make
) -> None:
    request = say("api_req_started", '{"tokensIn":1,"cancelReason":"user_cancelled"}')
    continued = (ask("resume_task"), say("user_feedback", "Continue"))
    assert outcome(store, request, *continued) == ("active", "unknown")
    assert outcome(store, request, *continued, say("api_req_started", "{}")) == ("active", "streaming")


def test_a_stream_that_failed_is_failed_with_what_it_left_and_the_retry_behind_it(
    store: Store, say: Make, ask: Make
) -> None:
    request = say("api_req_started", '{"cancelReason":"streaming_failed"}')
    left = (say("text", "I will"), ask("tool", '{"tool":"readFile"}', partial=True))
    retried = (ask("api_req_failed", "503"), say("api_req_retried"))
    assert outcome(store, request, *left)[1] == "failed"
    assert outcome(store, request, *retried)[1] == "failed"
    assert outcome(store, request, *retried, ask("resume_task"))[1] == "failed"


def test_a_stream_that_failed_and_was_repeated_with_success_is_past(
    store: Store, say: Make, ask: Make
) -> None:
    request = say("api_req_started", '{"cancelReason":"streaming_failed"}')
    retried = (ask("api_req_failed", "503"), say("api_req_retried"), say("text", "Here it is."))
    assert outcome(store, request, *retried, ask("followup")) == ("active", "waiting")


def test_what_was_streaming_when_the_task_was_opened_again_is_interrupted(
    store: Store, say: Make, ask: Make
) -> None:
    assert outcome(store, say("text", "The", partial=True), ask("resume_task")) == ("active", "interrupted")
    request = say("api_req_started", '{"apiProtocol":"openai"}')
    assert outcome(store, request, ask("resume_task")) == ("active", "interrupted")


def test_nothing_streams_for_more_than_a_day(store: Store, say: Make) -> None:
    assert outcome(store, say("text", "The", partial=True)) == ("active", "streaming")
    store.now = NOW - HOUR + DAY
    assert (store.task().status, store.task().outcome) == ("unknown", "interrupted")


def test_a_stream_without_times_is_judged_by_its_file(store: Store) -> None:
    folder = store.write(ui=[{"type": "say", "say": "text", "text": "The", "partial": True}], api=[])
    os.utime(folder / "ui_messages.json", ((NOW - HOUR) // 1000,) * 2)
    assert store.task().outcome == "streaming"
    os.utime(folder / "ui_messages.json", ((NOW - 2 * DAY) // 1000,) * 2)
    assert store.task().outcome == "interrupted"


@pytest.mark.parametrize("kind", AWAITED)
def test_an_open_question_is_waiting(store: Store, ask: Make, kind: str) -> None:
    assert outcome(store, ask(kind)) == ("active", "waiting")


def test_a_request_without_figures_is_streaming(store: Store, say: Make) -> None:
    assert outcome(store, say("api_req_started", '{"apiProtocol":"openai"}')) == ("active", "streaming")


def test_a_task_handed_to_a_subtask_is_delegated(store: Store, ask: Make) -> None:
    assert outcome(store, ask("tool", '{"tool":"newTask"}')) == ("active", "delegated")


@pytest.mark.parametrize("status", ["delegated", "interrupted"])
def test_the_list_entry_reports_delegation(store: Store, say: Make, status: str) -> None:
    entry = {"id": TASK_ID, "ts": NOW, "status": status}
    assert outcome(store, say("text", "on it"), item=entry) == ("active", status)


def test_a_list_entry_says_completed_unless_the_messages_continued(store: Store, say: Make) -> None:
    entry = {"id": TASK_ID, "ts": NOW - HOUR, "status": "completed"}
    assert outcome(store, say("text", "x"), item=entry)[0] == "completed"
    assert outcome(store, say("text", "x", ts=NOW - 9), item=entry)[0] == "active"


@pytest.mark.parametrize(
    ("recorded", "expected"),
    [
        ("completed", ("completed", "completed")),
        ("failed", ("failed", "failed")),
        ("cancelled", ("abandoned", "cancelled")),
        ("streaming", ("active", "streaming")),
    ],
)
def test_our_own_runs_say_how_they_ended(store: Store, recorded: str, expected: tuple[str, str]) -> None:
    entry = {"id": TASK_ID, "ts": NOW, "product": "sidecar", "outcome": recorded, "task": "Do it"}
    assert outcome(store, item=entry) == expected
    assert store.task().product == "sidecar"


@pytest.mark.parametrize(
    ("age", "status"),
    [(0, "active"), (DAY - 1, "active"), (DAY, "unknown"), (7 * DAY, "unknown"), (7 * DAY + 1, "abandoned")],
)
def test_unfinished_tasks_are_judged_by_their_age(age: int, status: str) -> None:
    assert by_age(NOW - age, NOW) == status


def test_without_a_time_the_status_is_unknown() -> None:
    assert by_age(None, NOW) == "unknown"


@pytest.mark.parametrize("age", [0, DAY - 1, DAY, 7 * DAY, 8 * DAY])
def test_the_status_holds_until_the_next_change(age: int) -> None:
    until = next_change(NOW - age, NOW)
    assert NOW < until <= NOW + DAY
    assert by_age(NOW - age, until - 1) == by_age(NOW - age, NOW)
