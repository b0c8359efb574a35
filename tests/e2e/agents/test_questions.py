"""Questions of agents through a sidecar: forms, addresses, their one answer, and agents that misuse them."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from sidecar.rpc.errors import RpcError
from sidecar.subagents.runners.acp.lines import LINE_BYTES
from tests.e2e.conftest import REPO, Sidecar, Start, define
from tests.e2e.processes import events

pytestmark = pytest.mark.timeout(120)

Json = dict[str, Any]

_RAW = str(REPO / "tests" / "agents" / "raw.py")
RUNNERS: Json = {
    name: {"type": "acp", "command": [sys.executable, _RAW, "inquire"]} for name in ("asking", "qwen")
}

FORM: Json = {
    "mode": "form",
    "message": "Which database?\nThe plan depends on it.",
    "requestedSchema": {
        "type": "object",
        "properties": {
            "engine": {
                "type": "string",
                "title": "Engine",
                "enum": ["sqlite", "postgres"],
                "default": "sqlite",
            },
            "port": {"type": "integer", "minimum": 1, "maximum": 65535},
            "tags": {
                "type": "array",
                "items": {"anyOf": [{"const": "a", "title": "A"}, {"const": "b", "title": "B"}]},
            },
            "name": {"type": "string", "minLength": 2, "pattern": "^[a-z]+$"},
        },
        "required": ["engine", "port"],
    },
}
ADDRESS: Json = {
    "mode": "url",
    "message": "Sign in",
    "elicitationId": "e1",
    "url": "https://example.com/in?x=1",
}

QWEN: Json = {
    "method": "session/request_permission",
    "toolCall": {
        "toolCallId": "t1",
        "title": "Ask user 2 questions",
        "kind": "think",
        "status": "pending",
        "_meta": {
            "qwenInteractionKind": "user_question",
            "qwenQuestions": [
                {
                    "question": "Which color?",
                    "header": "Color",
                    "options": [
                        {"label": "Red", "description": "Warm"},
                        {"label": "Blue", "description": "Cold"},
                    ],
                },
                {
                    "question": "Which sizes?",
                    "header": "Sizes",
                    "multiSelect": True,
                    "options": [{"label": size, "description": size} for size in ("S", "M", "L")],
                },
            ],
        },
    },
    "options": [
        {"optionId": "proceed_once", "name": "Submit", "kind": "allow_once"},
        {"optionId": "cancel", "name": "Cancel", "kind": "reject_once"},
    ],
}
"""How qwen asks: its request for permission has the questions, and its answer has theirs."""


@pytest.fixture(autouse=True)
def definitions(home: Path) -> Path:
    return define(home, RUNNERS)


async def asking(start: Start, *questions: Json, agent: str = "asking", **more: Any) -> tuple[Sidecar, str]:
    """Start a sidecar and a run that asks these questions."""
    sidecar = await start(settings={"runners": RUNNERS})
    return sidecar, await sidecar.launch(agent, json.dumps({"questions": questions, **more}))


async def asked(sidecar: Sidecar, task_id: str, *answered: str) -> Json:
    """Wait until a task shows a question that is not one of those answered, and return it."""

    def shown() -> list[Json]:
        newest = [change for change in sidecar.changes if change["id"] == task_id][-1:]
        found: list[Json] = [change["attention"] for change in newest if "attention" in change]
        return [each for each in found if each["requestId"] not in answered]

    await sidecar.until(lambda: bool(shown()), 30)
    return shown()[0]


async def answer(sidecar: Sidecar, task_id: str, question: Json, **answer: Any) -> Json:
    result: Json = await sidecar.request(
        "asyncTasks/answer", taskId=task_id, requestId=question["requestId"], **answer
    )
    return result


async def reported(sidecar: Sidecar, task_id: str) -> str:
    """Return the words of a run that has ended."""
    (task,) = await sidecar.ended(task_id)
    assert task["status"] == "completed", task
    return "".join(event["text"] for event in await events(sidecar, task_id, "message"))


async def refusal(sidecar: Sidecar, task_id: str, question: Json, **given: Any) -> str:
    with pytest.raises(RpcError) as caught:
        await answer(sidecar, task_id, question, **given)
    assert caught.value.code == -32602
    return str(caught.value)


async def test_a_form_is_shown_on_the_task_until_its_one_answer(start: Start) -> None:
    sidecar, task_id = await asking(start, FORM)
    question = await asked(sidecar, task_id)
    assert (question["kind"], question["title"]) == ("question", "Which database?")
    assert question["message"] == FORM["message"]
    assert question["options"] == []
    assert list(question["schema"]["properties"]) == ["engine", "port", "tags", "name"]
    assert question["schema"]["properties"]["engine"]["oneOf"][1] == {
        "const": "postgres",
        "title": "postgres",
    }
    assert question["schema"]["properties"]["engine"]["default"] == "sqlite"
    content = {"port": 5432, "tags": ["b"]}
    task = (await answer(sidecar, task_id, question, action="accept", content=content))["task"]
    assert "attention" not in task
    with pytest.raises(RpcError) as caught:
        await answer(sidecar, task_id, question, action="decline")
    assert caught.value.code == -32017
    words = await reported(sidecar, task_id)
    assert 'offered {"form": {}, "url": {}}' in words
    assert '0 {"action": "accept", "content": {"engine": "sqlite", "port": 5432, "tags": ["b"]}}' in words
    first, last = await events(sidecar, task_id, "question")
    assert (first["state"], first["schema"]["required"]) == ("asked", ["engine", "port"])
    assert (last["state"], last["action"], last["by"]) == ("answered", "accept", "user")
    assert last["content"] == {"engine": "sqlite", **content}


async def test_content_that_does_not_fit_names_the_member_and_keeps_the_question_open(start: Start) -> None:
    sidecar, task_id = await asking(start, FORM)
    question = await asked(sidecar, task_id)
    wrong: list[tuple[str, Json]] = [
        ("content.port: must be at most 65535", {"port": 65536}),
        ("content.port: must be a whole number", {"port": 1.5}),
        ("content.port: a value is required", {}),
        ("content.engine: 'mysql' is not a choice", {"port": 1, "engine": "mysql"}),
        ("content.tags: 'c' is not a choice", {"port": 1, "tags": ["c"]}),
        ("content.name: must have at least 2 characters", {"port": 1, "name": "x"}),
        ("content.name: must match ^[a-z]+$", {"port": 1, "name": "XY"}),
        ("content.other: the form has no such field", {"port": 1, "other": 1}),
    ]
    for words, content in wrong:
        assert words in await refusal(sidecar, task_id, question, action="accept", content=content)
    assert "optionId, action" in await refusal(sidecar, task_id, question)
    assert "optionId, action" in await refusal(sidecar, task_id, question, action="cancel", optionId="x")
    assert "answer with an action" in await refusal(sidecar, task_id, question, optionId="x")
    assert "content: not allowed" in await refusal(sidecar, task_id, question, action="decline", content={})
    await answer(sidecar, task_id, question, action="decline")
    assert '0 {"action": "decline"}' in await reported(sidecar, task_id)


async def test_an_address_is_shown_and_accepted_without_content(start: Start) -> None:
    sidecar, task_id = await asking(start, ADDRESS)
    question = await asked(sidecar, task_id)
    assert (question["url"], question.get("schema")) == (ADDRESS["url"], None)
    assert "content: not allowed" in await refusal(sidecar, task_id, question, action="accept", content={})
    await answer(sidecar, task_id, question, action="accept")
    assert '0 {"action": "accept"}\n' in await reported(sidecar, task_id)


@pytest.mark.parametrize(
    ("params", "reason"),
    [
        ({**ADDRESS, "url": "javascript:alert(1)"}, "not a plain http or https address"),
        ({**ADDRESS, "url": "https://good.example@evil.example/"}, "not a plain http or https address"),
        ({**ADDRESS, "url": "https://a.example/\u001b]0;x\u0007"}, "not a plain http or https address"),
        ({"mode": "form", "sizes": 1000}, "the form has 1,000 fields, and the limit is 50"),
        (
            {"mode": "form", "requestedSchema": {"properties": {"x": {"enum": ["v"] * 5000}}}},
            "a choice has 5,000 values",
        ),
        (
            {"mode": "form", "requestedSchema": {"properties": {"x": {"type": "object"}}, "required": ["x"]}},
            "has a type that is not supported",
        ),
        (
            {"mode": "form", "requestedSchema": {"properties": {"\u202ex": {"type": "string"}}}},
            "control characters",
        ),
        ({"mode": "form", "requestedSchema": {"properties": [], "required": ["y"]}}, "does not describe it"),
    ],
    ids=lambda value: "" if isinstance(value, dict) else value,
)
async def test_a_question_that_no_person_may_see_is_declined_with_its_reason(
    start: Start, params: Json, reason: str
) -> None:
    sidecar, task_id = await asking(start, params)
    words = await reported(sidecar, task_id)
    assert '"action": "decline"' in words
    assert reason in words
    (question,) = await events(sidecar, task_id, "question")
    assert (question["action"], question["by"]) == ("decline", "policy")
    assert any(reason in event["text"] for event in await events(sidecar, task_id, "log"))


@pytest.mark.parametrize("depth", [5_000, 1_000_000])
@pytest.mark.parametrize("method", ["elicitation/create", "session/request_permission"])
async def test_a_request_that_is_nested_too_deep_is_refused_and_the_run_continues(
    start: Start, method: str, depth: int
) -> None:
    deep = {"method": method, "requestedSchema": {"properties": "$nested"}, "nested": depth}
    sidecar, task_id = await asking(start, deep, FORM)
    question = await asked(sidecar, task_id)
    await answer(sidecar, task_id, question, action="accept", content={"port": 1})
    words = await reported(sidecar, task_id)
    assert '0 {"code": -32602, "message": "params: the message is nested too deep; use at most' in words
    assert '"port": 1' in words


@pytest.mark.parametrize("method", ["elicitation/create", "session/request_permission", "fs/read_text_file"])
async def test_a_request_that_is_too_large_is_refused_and_the_run_continues(
    start: Start, method: str
) -> None:
    sidecar, task_id = await asking(start, {"method": method, "padding": LINE_BYTES}, FORM)
    question = await asked(sidecar, task_id)
    await answer(sidecar, task_id, question, action="accept", content={"engine": "sqlite", "port": 1})
    words = await reported(sidecar, task_id)
    assert '0 {"code": -32602, "message": "params: the message has 33,5' in words
    assert "send at most 33,554,432" in words
    assert '"port": 1' in words


async def test_an_unknown_mode_is_refused_as_the_protocol_requires(start: Start) -> None:
    sidecar, task_id = await asking(start, {"mode": "_telepathy", "message": "?"})
    assert "'_telepathy' is not supported" in await reported(sidecar, task_id)


async def test_several_questions_are_open_at_once_and_each_gets_its_own_answer(start: Start) -> None:
    sidecar, task_id = await asking(start, FORM, ADDRESS, together=True)
    first = await asked(sidecar, task_id)
    opened = [event["requestId"] for event in await events(sidecar, task_id, "question")]
    while len(opened) < 2:
        opened = [event["requestId"] for event in await events(sidecar, task_id, "question")]
    second = next(each for each in opened if each != first["requestId"])
    await answer(sidecar, task_id, {"requestId": second}, action="accept")
    await answer(sidecar, task_id, first, action="cancel")
    words = await reported(sidecar, task_id)
    assert '1 {"action": "accept"}' in words
    assert '0 {"action": "cancel"}' in words


async def test_a_thousand_questions_leave_twenty_open_and_decline_the_others(start: Start) -> None:
    sidecar, task_id = await asking(
        start, *[{"message": str(n), "sizes": 1} for n in range(200)], together=True
    )
    await asked(sidecar, task_id)
    answered: list[str] = []
    for _ in range(20):
        question = await asked(sidecar, task_id, *answered)
        answered.append(question["requestId"])
        await answer(sidecar, task_id, question, action="decline")
    words = await reported(sidecar, task_id)
    assert words.count("20 questions are open already") == 180


async def test_a_question_after_the_answer_to_the_prompt_is_answered(start: Start) -> None:
    sidecar, task_id = await asking(start, FORM, late=True)
    question = await asked(sidecar, task_id)
    await answer(sidecar, task_id, question, action="accept", content={"port": 1})
    assert '"port": 1' in await reported(sidecar, task_id)


async def test_questions_shortly_after_the_end_of_the_turn_are_answered(start: Start) -> None:
    sidecar, task_id = await asking(start, FORM, FORM, shortly=True)
    first = await asked(sidecar, task_id)
    await answer(sidecar, task_id, first, action="accept", content={"port": 1})
    second = await asked(sidecar, task_id, first["requestId"])
    await answer(sidecar, task_id, second, action="accept", content={"port": 2})
    words = await reported(sidecar, task_id)
    assert '"port": 1' in words
    assert '"port": 2' in words


async def test_a_withdrawn_question_closes(start: Start) -> None:
    sidecar, task_id = await asking(start, FORM, withdraw=True)
    assert '0 {"action": "cancel"}' in await reported(sidecar, task_id)
    states = [(event["state"], event.get("action")) for event in await events(sidecar, task_id, "question")]
    assert states in ([("asked", None), ("answered", None)], [])
    assert "attention" not in await sidecar.task(task_id)


async def test_cancelling_the_run_closes_its_question(start: Start) -> None:
    sidecar, task_id = await asking(start, FORM)
    question = await asked(sidecar, task_id)
    await sidecar.request("asyncTasks/cancel", taskId=task_id)
    with pytest.raises(RpcError) as caught:
        await answer(sidecar, task_id, question, action="decline")
    assert caught.value.code == -32017
    task = await sidecar.task(task_id)
    assert task["status"] == "cancelled"
    assert "attention" not in task


async def test_time_limits_pause_while_a_question_is_open(start: Start) -> None:
    sidecar = await start(
        settings={
            "runners": RUNNERS,
            "asyncTasks": {"inactivityTimeoutSeconds": 1, "startupTimeoutSeconds": 30},
        }
    )
    task_id = await sidecar.launch("asking", json.dumps({"questions": [FORM]}), timeoutSeconds=3)
    question = await asked(sidecar, task_id)
    with pytest.raises(TimeoutError):  # nothing ends the run meanwhile
        await sidecar.until(lambda: sidecar.changes[-1]["status"] != "running", 4)
    await answer(sidecar, task_id, question, action="accept", content={"port": 1})
    assert '"accept"' in await reported(sidecar, task_id)


async def test_what_seems_to_be_a_password_is_not_logged(start: Start) -> None:
    fields = {"user": {"type": "string"}, "db_password": {"type": "string", "title": "Password"}}
    sidecar, task_id = await asking(start, {"requestedSchema": {"properties": fields}})
    question = await asked(sidecar, task_id)
    content = {"user": "ann", "db_password": "hunter2"}
    await answer(sidecar, task_id, question, action="accept", content=content)
    assert "hunter2" in await reported(sidecar, task_id)  # the scripted agent repeats it
    last = (await events(sidecar, task_id, "question"))[-1]
    assert last["content"] == {"user": "ann", "db_password": "••••"}


async def test_the_questions_of_qwen_are_a_form_with_choices_and_own_answers(start: Start) -> None:
    sidecar, task_id = await asking(start, QWEN, agent="qwen")
    question = await asked(sidecar, task_id)
    assert (question["kind"], question["options"]) == ("question", [])
    assert question["message"] == "Please answer the following questions."
    fields = question["schema"]["properties"]
    assert list(fields) == ["question_0", "question_0_custom", "question_1", "question_1_custom"]
    assert (fields["question_0"]["title"], fields["question_0"]["description"]) == ("Color", "Which color?")
    assert fields["question_0"]["oneOf"][1] == {"const": "Blue", "title": "Blue", "description": "Cold"}
    assert [each["const"] for each in fields["question_1"]["items"]["anyOf"]] == ["S", "M", "L"]
    content = {"question_0": "Blue", "question_1": ["S", "L"], "question_1_custom": "XXL"}
    await answer(sidecar, task_id, question, action="accept", content=content)
    selected = {"outcome": "selected", "optionId": "proceed_once"}
    words = await reported(sidecar, task_id)
    assert json.dumps({"outcome": selected, "answers": {"0": "Blue", "1": "S, L, XXL"}}) in words
    assert await events(sidecar, task_id, "permission") == []


async def test_a_permission_request_of_another_agent_stays_one_whatever_it_says(start: Start) -> None:
    command = {**QWEN["toolCall"], "kind": "execute", "rawInput": {"command": "rm -r build"}}
    sidecar, task_id = await asking(start, {**QWEN, "toolCall": command})
    permission = await asked(sidecar, task_id)
    assert (permission["kind"], permission["command"]) == ("permission", "rm -r build")


@pytest.mark.parametrize(
    ("action", "result"),
    [
        ("decline", {"outcome": {"outcome": "selected", "optionId": "proceed_once"}, "answers": {}}),
        ("cancel", {"outcome": {"outcome": "cancelled"}}),
    ],
)
async def test_qwen_continues_after_a_decline_and_stops_after_a_cancel(
    start: Start, action: str, result: Json
) -> None:
    sidecar, task_id = await asking(start, QWEN, agent="qwen")
    await answer(sidecar, task_id, await asked(sidecar, task_id), action=action)
    assert json.dumps(result) in await reported(sidecar, task_id)


async def test_half_characters_are_refused_and_the_question_stays_open(start: Start) -> None:
    sidecar, task_id = await asking(start, FORM)
    question = await asked(sidecar, task_id)
    content = {"engine": "sqlite", "port": 1, "name": "ab"}
    with pytest.raises(RpcError, match=r"content\.name: .*half a surrogate pair at index 2") as refused:
        await answer(sidecar, task_id, question, action="accept", content={**content, "name": "ab\ud800"})
    assert refused.value.code == -32602
    await answer(sidecar, task_id, question, action="accept", content=content)
    assert '"name": "ab"' in await reported(sidecar, task_id)


@pytest.mark.parametrize(
    ("method", "params", "place"),
    [
        ("launch", {"goalPrompt": "\ud800"}, "goalPrompt"),
        ("launch", {"goalPrompt": "a", "behaviourPrompts": ["a", "b\udc00"]}, r"behaviourPrompts\[1\]"),
        ("launch", {"goalPrompt": "a", "expectedOutputs": {"a": "\ud800"}}, r"expectedOutputs\.a"),
        ("send", {"text": "a\ud800"}, "text"),
        ("resume", {"text": "a\ud800"}, "text"),
    ],
)
async def test_a_text_for_an_agent_has_whole_characters(
    start: Start, method: str, params: Json, place: str
) -> None:
    sidecar, task_id = await asking(start, FORM)
    target = {"subagentName": "asking"} if method == "launch" else {"taskId": task_id}
    with pytest.raises(RpcError, match=f"^{place}: contains half a surrogate pair") as refused:
        await sidecar.request(f"asyncTasks/{method}", **target, **params)
    assert refused.value.code == -32602


async def test_a_question_that_no_answer_can_reach_is_not_shown(start: Start) -> None:
    sidecar, task_id = await asking(start, FORM, afterwards=True)
    await reported(sidecar, task_id)
    assert await events(sidecar, task_id, "question") == []


async def test_a_question_shows_no_value_of_a_server(start: Start) -> None:
    server = {"command": sys.executable, "env": {"KEY": "s3cret-value"}}
    sidecar = await start(settings={"runners": RUNNERS, "mcpServers": {"docs": server}})
    question = {**FORM, "message": "Use s3cret-value?"}
    task_id = await sidecar.launch("asking", json.dumps({"questions": [question]}))
    shown = await asked(sidecar, task_id)
    assert shown["message"] == "Use [secret]?"
    await answer(sidecar, task_id, shown, action="decline")
    await reported(sidecar, task_id)
    logged = await events(sidecar, task_id, "question")
    assert [each["title"] for each in logged] == ["Use [secret]?"] * 2
