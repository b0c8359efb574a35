from typing import Any

import pytest

from sidecar.cli.event_lines import EventPrinter


def lines(capsys: pytest.CaptureFixture[str], *events: dict[str, Any]) -> list[str]:
    printer = EventPrinter()
    for event in events:
        printer.print(event)
    return capsys.readouterr().err.splitlines()


def tool(status: str, **more: Any) -> dict[str, Any]:
    return {"type": "tool", "toolCallId": "1", "name": "edit", "status": status, **more}


def test_a_call_is_named_when_it_starts_and_when_it_ends(capsys: pytest.CaptureFixture[str]) -> None:
    updates = [tool("started", title="Edit a.py"), tool("started"), tool("started"), tool("completed")]
    assert lines(capsys, *updates) == ["[tool] edit started: Edit a.py", "[tool] edit completed"]


def test_calls_without_an_id_are_all_named(capsys: pytest.CaptureFixture[str]) -> None:
    started = {"type": "tool", "name": "look", "status": "started"}
    assert lines(capsys, started, started) == ["[tool] look started"] * 2


def test_questions_are_reported_with_their_answers(capsys: pytest.CaptureFixture[str]) -> None:
    asked = {"type": "permission", "requestId": "1", "state": "asked", "title": "rm x", "cwd": "/w"}
    answered = {**asked, "state": "answered", "kind": "reject_once", "by": "policy", "optionId": "no"}
    called_off = {**asked, "state": "answered"}
    assert lines(capsys, asked, answered, called_off) == [
        "[permission] asked: rm x (in /w)",
        "[permission] reject_once by policy: rm x",
        "[permission] withdrawn: rm x",
    ]


def test_what_an_agent_names_cannot_forge_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    forged = "rm x\n[permission] allow_once by user: rm x\x1b[31m"
    printer = EventPrinter()
    printer.print({"type": "permission", "requestId": "1", "state": "asked", "title": forged, "cwd": "/w\n/"})
    printer.print({"type": "tool", "toolCallId": "c", "name": "Bash", "status": "started", "title": forged})
    printer.print({"type": "emit", "name": "a\nb", "value": "c\nd"})
    lines = capsys.readouterr().err.splitlines()
    assert [line.split()[0] for line in lines] == ["[permission]", "[tool]", "[emit]"]
    assert "\x1b" not in "".join(lines)


@pytest.mark.parametrize(
    ("state", "line"),
    [
        ({"status": "queued"}, "[Queued]"),
        ({"status": "running"}, "[Running]"),
        ({"status": "completed", "endReason": "goal"}, "[Completed]"),
        ({"status": "failed", "endReason": "timeout"}, "[Timed out]"),
        ({"status": "failed", "endReason": "error", "errorKind": "network"}, "[Failed: network error]"),
        ({"status": "failed", "endReason": "hostExit"}, "[Interrupted]"),
        ({"status": "cancelled", "endReason": "cancelledByUser"}, "[Cancelled]"),
        ({"status": "failed"}, "[Failed]"),
        ({"status": "paused", "endReason": "bored", "errorKind": "odd"}, "[paused]"),
    ],
)
def test_states_have_the_words_of_the_panel(
    capsys: pytest.CaptureFixture[str], state: dict[str, Any], line: str
) -> None:
    assert lines(capsys, {"type": "state", **state}) == [line]
