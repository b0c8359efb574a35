"""A permission request of an agent as a question: what would be done, whatever the agent calls it."""

from typing import Any

import pytest

from sidecar.subagents.permissions.bounds import NAME_CHARS, TITLE_CHARS
from sidecar.subagents.permissions.paths import MAX_PATHS
from sidecar.subagents.permissions.question import FileChange
from sidecar.subagents.runners.acp_events import SessionEvents
from sidecar.subagents.runners.acp_question import question_of

Json = dict[str, Any]


@pytest.mark.parametrize("kind", ["read", "edit", "think", "other", None])
@pytest.mark.parametrize("name", ["command", "cmd"])
def test_what_has_a_command_is_run_whatever_its_label(kind: str | None, name: str) -> None:
    question = question_of({"kind": kind, "rawInput": {name: "rm -rf ~"}}, [])
    assert (question.tool_kind, question.command) == ("execute", "rm -rf ~")


def test_a_read_of_an_address_is_a_fetch() -> None:
    assert question_of({"kind": "read", "rawInput": {"url": "https://a.example"}}, []).tool_kind == "fetch"


@pytest.mark.parametrize("kind", ["READ", "reading", "x" * 1_000_000, 5])
def test_an_unknown_kind_is_other(kind: Any) -> None:
    assert question_of({"kind": kind}, []).tool_kind == "other"


def test_words_of_a_command_are_quoted_as_a_shell_wants_them() -> None:
    assert question_of({"rawInput": {"command": ["git", "log; rm x"]}}, []).command == "git 'log; rm x'"


def test_a_long_title_and_long_names_are_cut_in_their_middle() -> None:
    option = {"optionId": "a", "name": "n" * 1_000_000, "kind": "allow_once"}
    call = {"title": f"{'x' * 20_000_000}; rm -rf ~", "name": "t" * 1_000_000}
    question = question_of(call, [option])
    assert len(question.title) <= TITLE_CHARS
    assert question.title.endswith("; rm -rf ~")
    assert len(question.options[0].name) <= NAME_CHARS
    assert len(question.tool_name or "") <= NAME_CHARS


def test_a_long_title_reaches_no_event() -> None:
    update = {"sessionUpdate": "tool_call", "toolCallId": "t", "title": "x" * 20_000_000}
    (event,) = SessionEvents().take(update)
    assert len(event["title"]) <= TITLE_CHARS
    assert len(event["name"]) <= TITLE_CHARS


def test_a_question_knows_the_files_and_changes_that_its_call_had_before() -> None:
    events = SessionEvents()
    diff = {"type": "diff", "path": "a", "oldText": "1", "newText": "2"}
    call: Json = {"toolCallId": "t", "kind": "edit", "title": "Edit"}
    text = {"type": "content", "content": {"type": "text", "text": "output"}}
    asked = {"toolCallId": "t", "locations": [{"path": "../outside"}], "content": [text]}
    list(events.take({"sessionUpdate": "tool_call", **call, "locations": [{"path": "a"}], "content": [diff]}))
    list(events.tool({**asked, "status": None}))
    question = events.question({"toolCall": asked, "options": []})
    assert question.paths == ("a", "../outside")
    assert question.changes == (FileChange("a", "1", "2"),)


def test_files_beyond_the_bound_are_counted_so_that_none_seems_inside() -> None:
    events = SessionEvents()
    places = [{"path": f"f{number}"} for number in range(5_000)]
    list(events.tool({"toolCallId": "t", "kind": "edit", "locations": places}))
    question = events.question({"toolCall": {"toolCallId": "t"}, "options": []})
    assert len(question.paths) > MAX_PATHS


ONCE = {"optionId": "y", "name": "Yes", "kind": "allow_once"}
NO = {"optionId": "n", "name": "No", "kind": "reject_once"}
ALWAYS = {"optionId": "a", "name": "Always", "kind": "allow_always"}


def test_always_can_be_chosen_where_the_agent_offers_only_once_and_means_once_to_it() -> None:
    question = question_of({"title": "Write"}, [ONCE, NO])
    assert [option.kind for option in question.options] == ["allow_once", "reject_once", "allow_always"]
    assert question.once(question.options[-1]).option_id == "y"


def test_the_always_of_an_agent_stays_the_only_one() -> None:
    question = question_of({"title": "Write"}, [ALWAYS, ONCE, NO])
    assert [option.option_id for option in question.options] == ["a", "y", "n"]


def test_what_cannot_be_allowed_cannot_be_allowed_always() -> None:
    assert [option.option_id for option in question_of({"title": "Write"}, [NO]).options] == ["n"]
