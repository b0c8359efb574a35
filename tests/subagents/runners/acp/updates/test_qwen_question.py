"""The questions of qwen as a form: what is one, and the answers in its words."""

from typing import Any

import pytest

from sidecar.subagents.questions.question import Reply
from sidecar.subagents.runners.acp.updates.qwen_question import asked_in

Json = dict[str, Any]

OPTIONS: list[Json] = [
    {"optionId": "no", "name": "Cancel", "kind": "reject_once"},
    {"optionId": "yes", "name": "Submit", "kind": "allow_once"},
]


def request(*questions: Any, options: Any = OPTIONS, kind: str = "user_question") -> Json:
    meta = {"qwenInteractionKind": kind, "qwenQuestions": list(questions)}
    return {"toolCall": {"toolCallId": "t1", "_meta": meta}, "options": options}


def color(**members: Any) -> Json:
    options = [{"label": label, "description": label} for label in ("Red", "Blue")]
    return {"question": "Which color?", "header": "Color", "options": options, **members}


def answers(reply: Reply, *questions: Json) -> Any:
    asked = asked_in(request(*questions))
    assert asked is not None
    return asked.result(reply).get("answers")


def test_one_question_is_the_message_of_the_form() -> None:
    asked = asked_in(request(color()))
    assert asked is not None
    question, refusal, _ = asked
    assert refusal is None
    assert (question.title, question.message, question.tool_call_id) == ("Which color?", "Which color?", "t1")
    assert question.form is not None
    assert question.form.properties["question_0"].description is None


@pytest.mark.parametrize(
    "params",
    [
        request(color(), kind="other"),
        request(),
        request("Which?"),
        request(color(), options=OPTIONS[:1]),
        request(color(), options=[{"kind": "allow_once", "optionId": 7}]),
        {"toolCall": {"_meta": "user_question"}},
        {"toolCall": None},
        {"toolCall": {"_meta": {"qwenInteractionKind": "user_question", "qwenQuestions": 5}}},
    ],
)
def test_a_request_without_questions_or_a_way_to_answer_asks_for_permission(params: Json) -> None:
    assert asked_in(params) is None


@pytest.mark.parametrize("options", [None, [], [{"label": 5}], ["Red"]])
def test_a_question_without_choices_is_declined(options: Any) -> None:
    asked = asked_in(request(color(options=options)))
    assert asked is not None
    assert asked.refusal is not None


def test_an_own_answer_takes_the_place_of_a_choice() -> None:
    reply = Reply("accept", {"question_0": "Red", "question_0_custom": " Green "})
    assert answers(reply, color()) == {"0": "Green"}


def test_what_is_not_answered_is_left_out() -> None:
    reply = Reply("accept", {"question_1": "Red", "question_0_custom": " "})
    assert answers(reply, color(), color(), color(multiSelect=True)) == {"1": "Red"}


def test_several_choices_are_one_text() -> None:
    reply = Reply("accept", {"question_0": ["Red", "Blue"]})
    assert answers(reply, color(multiSelect=True)) == {"0": "Red, Blue"}


def test_the_reason_of_a_rule_reaches_the_model() -> None:
    reply = Reply("decline", reason="Declined: nobody is here.")
    assert answers(reply, color(), color()) == {
        "0": "Declined: nobody is here.",
        "1": "Declined: nobody is here.",
    }
