"""Turn the questions of qwen, which come as permission requests, into forms, and answer in its words.

Source: qwen-code 0.24.4, `ask_user_question`. It names its questions in the `_meta` of the tool call, and
reads `answers`, by the number of the question, next to the outcome of the permission request.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sidecar.subagents.questions.question import Reply
from sidecar.subagents.runners.acp.updates.elicitation import Asked, question_of

_KIND, _QUESTIONS = "qwenInteractionKind", "qwenQuestions"
_SEVERAL = "Please answer the following questions."
_OTHER = "Your own answer, instead of a choice."
_OTHERS = "Your own answer, in addition to the choices."
_CANCELLED = {"outcome": {"outcome": "cancelled"}}


def asked_in(params: Mapping[str, Any]) -> Asked | None:
    """Return the question in a permission request; None if it asks for permission, as others do."""
    call = params.get("toolCall")
    meta = call.get("_meta") if isinstance(call, Mapping) else None
    if not isinstance(meta, Mapping) or meta.get(_KIND) != "user_question":
        return None
    given = meta.get(_QUESTIONS)
    questions = [each for each in given if isinstance(each, Mapping)] if isinstance(given, list) else []
    submit = _submit(params.get("options"))
    if not questions or submit is None:
        return None
    message = questions[0].get("question") if len(questions) == 1 else _SEVERAL
    form = {"type": "object", "properties": dict(_fields(questions))}
    asked = question_of({**_named(call), "message": message, "requestedSchema": form})
    return asked._replace(result=lambda reply: _result(reply, len(questions), submit))


def _submit(options: Any) -> str | None:
    """Return the ID of the option that submits the answers."""
    offered = [each for each in options if isinstance(each, Mapping)] if isinstance(options, list) else []
    found = next((each.get("optionId") for each in offered if each.get("kind") == "allow_once"), None)
    return found if isinstance(found, str) else None


def _named(call: Any) -> dict[str, Any]:
    return {"toolCallId": call.get("toolCallId")} if isinstance(call, Mapping) else {}


def _fields(questions: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield a field with the choices of each question, and one for an answer of the person's own."""
    for number, each in enumerate(questions):
        title = each.get("header")
        shown = (
            {"title": title} if len(questions) == 1 else {"title": title, "description": each.get("question")}
        )
        choices = {
            "anyOf" if each.get("multiSelect") is True else "oneOf": list(_choices(each.get("options")))
        }
        several = "anyOf" in choices
        yield (
            _field(number),
            {"type": "array", "items": choices, **shown}
            if several
            else {"type": "string", **choices, **shown},
        )
        yield (
            _other(number),
            {"type": "string", "title": "Other", "description": _OTHERS if several else _OTHER},
        )


def _choices(options: Any) -> Iterator[dict[str, Any]]:
    for each in options if isinstance(options, list) else ():
        if isinstance(each, Mapping):
            yield {
                "const": each.get("label"),
                "title": each.get("label"),
                "description": each.get("description"),
            }


def _result(reply: Reply, count: int, submit: str) -> dict[str, Any]:
    """Return the answer to the request. A decline lets the agent continue; a cancel ends its turn."""
    if reply.action == "cancel":
        return _CANCELLED
    content = reply.content or {}
    answers = {str(number): text for number in range(count) if (text := _answer(content, number))}
    if reply.action == "decline" and reply.reason is not None:
        answers = dict.fromkeys(map(str, range(count)), reply.reason)
    return {"outcome": {"outcome": "selected", "optionId": submit}, "answers": answers}


def _answer(content: Mapping[str, Any], number: int) -> str:
    """Return the answer to a question as one text, as the agent's own form writes it."""
    chosen, own = content.get(_field(number)), str(content.get(_other(number)) or "").strip()
    if isinstance(chosen, list):
        return ", ".join([*map(str, chosen), *([own] if own else [])])
    return own or str(chosen or "")


def _field(number: int) -> str:
    return f"question_{number}"


def _other(number: int) -> str:
    return f"question_{number}_custom"
