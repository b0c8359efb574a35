"""Output of commands that comes in `_meta`, in pieces."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from sidecar.subagents.runners.acp.updates.terminal import OUTPUT_CHARS, TerminalOutput
from sidecar.subagents.runners.acp.updates.tools import ToolCalls

Json = dict[str, Any]


def piece(data: str, **more: Any) -> Json:
    return {"_meta": {"terminal_output_delta": {"data": data, "terminal_id": "t"}}, **more}


def test_the_output_and_the_status_of_a_command_of_codex_are_shown() -> None:
    calls = ToolCalls()
    call = {"toolCallId": "t", "title": "make", "content": [{"type": "terminal", "terminalId": "t"}]}
    exit_ = {"terminal_exit": {"exit_code": 2, "signal": None, "terminal_id": "t"}}
    list(calls.take({**call, "status": "in_progress"}))
    (begun,) = calls.take({"toolCallId": "t", **piece("one\n")})
    (ended,) = calls.take(
        {"toolCallId": "t", "status": "failed", "_meta": {**piece("two\n")["_meta"], **exit_}}
    )
    assert begun["content"] == [{"type": "text", "text": "one\n"}]
    assert (ended["status"], ended["output"]) == ("failed", {"exit_code": 2})
    assert ended["content"] == [{"type": "text", "text": "one\ntwo\n"}]


def test_growing_output_is_sent_as_it_doubles() -> None:
    terminal = TerminalOutput()
    sent = [terminal.take(piece("x" * 10)) for _ in range(1_000)]
    assert 8 <= sum(bool(each) for each in sent) <= 12


def test_the_tail_of_very_long_output_is_kept_with_a_notice() -> None:
    terminal = TerminalOutput()
    terminal.take(piece("a" * OUTPUT_CHARS))
    (part,) = terminal.take(piece("the end", status="completed"))["content"]
    assert part["text"].startswith("[cut: the first 7 characters]\n")
    assert part["text"].endswith("the end")


def test_a_call_without_output_shows_none() -> None:
    assert TerminalOutput().take({"status": "completed", "_meta": {"terminal_info": {}}}) == {}


@given(st.lists(st.text(max_size=5), min_size=1, max_size=20))
def test_all_output_is_shown_at_the_end_in_any_cut(pieces: list[str]) -> None:
    terminal, last = TerminalOutput(), ""
    for found in [*(terminal.take(piece(text)) for text in pieces), terminal.take({"status": "completed"})]:
        last = found["content"][0]["text"] if found else last
    assert last == "".join(pieces)
