import functools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.api.async_tasks import Progress
from sidecar.subagents.progress import RunProgress, begin, fold


def after(*events: dict[str, Any]) -> Progress:
    stamped = [{"ts": n + 1, **event} for n, event in enumerate(events)]
    return functools.reduce(fold, stamped, begin(0)).progress


def tool(status: str, name: str = "read", **members: Any) -> dict[str, Any]:
    return {"type": "tool", "status": status, "name": name, **members}


def message(message_id: object, text: str) -> dict[str, Any]:
    return {"type": "message", "messageId": message_id, "text": text}


def test_a_run_begins_with_nothing_done() -> None:
    assert begin(7).progress == Progress(turns=0, tool_calls=0, last_activity_at=7)


def test_any_event_is_activity() -> None:
    assert after({"type": "log", "text": "x"}, {"type": "unheard-of"}).last_activity_at == 2


def test_the_current_tool_is_the_last_that_has_not_ended() -> None:
    started = [tool("started", "a", toolCallId="1"), tool("started", "b", toolCallId="2")]
    assert after(*started).current_tool == "b"
    assert after(*started, tool("completed", "b", toolCallId="2")).current_tool == "a"
    assert after(*started, tool("failed", "a", toolCallId="1")).current_tool == "b"
    ended = (tool("failed", "b", toolCallId="2"), tool("completed", "a", toolCallId="1"))
    assert (after(*started, *ended).current_tool, after(*started, *ended).tool_calls) == (None, 2)


def test_no_tool_outlives_its_run() -> None:
    running, ended = ({"type": "state", "status": status} for status in ("running", "completed"))
    assert after(running, tool("started"), running).current_tool == "read"
    assert after(running, tool("started"), ended).current_tool is None


def test_tools_without_an_id_end_by_name() -> None:
    progress = after(tool("started"), tool("started"), tool("completed"))
    assert (progress.tool_calls, progress.current_tool) == (2, "read")


def test_a_tool_said_to_start_twice_counts_once() -> None:
    assert after(tool("started", toolCallId="1"), tool("started", toolCallId="1")).tool_calls == 1


def test_an_end_without_a_start_is_no_call() -> None:
    assert after(tool("completed")).tool_calls == 0


def test_the_newest_usage_counts() -> None:
    progress = after(
        {"type": "usage", "inputTokens": 5, "outputTokens": 1, "cost": 0.5},
        {"type": "usage", "inputTokens": 9, "cost": 1},
    )
    assert (progress.input_tokens, progress.output_tokens, progress.cost) == (9, 1, 1)


@pytest.mark.parametrize("wrong", ["5", None, True, [1]])
def test_usage_of_the_wrong_type_is_passed_over(wrong: object) -> None:
    assert after({"type": "usage", "inputTokens": wrong, "cost": wrong}) == Progress(last_activity_at=1)


def test_pieces_of_one_message_are_one_turn_and_one_text() -> None:
    progress = after(message(1, "Hello,\n"), message(1, "wor"), message(1, "ld"))
    assert (progress.turns, progress.last_text) == (1, "Hello, world")
    assert after(message(1, "a"), message(2, "b")) == Progress(turns=2, last_activity_at=2, last_text="b")


def test_the_last_text_is_one_short_line() -> None:
    text = after(message(1, "x" * 300 + "\n\n" + "y" * 150)).last_text
    assert text == "x" * 49 + " " + "y" * 150
    assert after(message(1, " done\n")).last_text == "done"
    assert after(message(1, "\n")).last_text is None


EVENTS = st.lists(
    st.one_of(
        st.builds(tool, st.sampled_from(["started", "completed", "failed"]), st.sampled_from("abc")),
        st.builds(message, st.integers(0, 2), st.text(max_size=300)),
        st.fixed_dictionaries({"type": st.sampled_from(["usage", "plan"]), "cost": st.none() | st.floats()}),
    ),
    max_size=30,
)


@given(EVENTS)
def test_the_state_stays_bounded_and_true(events: list[dict[str, Any]]) -> None:
    stamped = [{"ts": n, **event} for n, event in enumerate(events)]
    state: RunProgress = functools.reduce(fold, stamped, begin(0))
    progress = state.progress
    assert progress.tool_calls == sum(event.get("status") == "started" for event in events)
    assert len(progress.last_text or "") <= 200
    assert "\n" not in (progress.last_text or "")
    assert (progress.current_tool is None) == (not state.open_tools)
