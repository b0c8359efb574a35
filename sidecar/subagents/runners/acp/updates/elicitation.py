"""Turn an agent's `elicitation/create` into a question that a person can answer."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple
from uuid import uuid4

from sidecar.subagents.permissions import web_address
from sidecar.subagents.questions.choices import UnsupportedForm
from sidecar.subagents.questions.form import read_form
from sidecar.subagents.questions.question import AgentQuestion, Reply
from sidecar.subagents.questions.texts import MESSAGE_CHARS, line, lines

_UNTITLED = "The agent asks a question"
_TITLE_CHARS = 200


class Unsupported(Exception):
    """A mode of asking that the protocol does not allow this client to answer."""


def reply_result(reply: Reply) -> dict[str, Any]:
    """Return the answer to `elicitation/create`."""
    result: dict[str, Any] = {"action": reply.action}
    if reply.content is not None:
        result["content"] = reply.content
    if reply.reason is not None:
        result["_meta"] = {"reason": reply.reason}
    return result


class Asked(NamedTuple):
    """A question, and why it is declined without asking anyone; None if a person may answer it.

    `result` returns the answer in the agent's words.
    """

    question: AgentQuestion
    refusal: str | None
    result: Callable[[Reply], dict[str, Any]] = reply_result


def question_of(params: Mapping[str, Any]) -> Asked:
    """Return the question of a request. Raises Unsupported for a mode other than form and url."""
    mode, message = params.get("mode", "form"), lines(params.get("message"), MESSAGE_CHARS)
    call_id = params.get("toolCallId")
    first = line((message or "").split("\n", 1)[0], _TITLE_CHARS)
    question = AgentQuestion(
        request_id=str(uuid4()),
        title=first or _UNTITLED,
        message=message,
        tool_call_id=call_id if isinstance(call_id, str) else None,
    )
    if mode == "form":
        return _with_form(question, params.get("requestedSchema"))
    if mode == "url":
        return _with_address(question, params.get("url"))
    raise Unsupported(f"mode: {str(mode)[:40]!r} is not supported; use form or url")


def _with_form(question: AgentQuestion, raw: Any) -> Asked:
    try:
        form = read_form(raw)
    except UnsupportedForm as error:
        return Asked(question, str(error))
    title = form.title if question.message is None and form.title else question.title
    return Asked(replace(question, form=form, title=title), None)


def _with_address(question: AgentQuestion, url: Any) -> Asked:
    if not isinstance(url, str) or web_address.parse(url) is None:
        return Asked(question, "its address is not a plain http or https address")
    return Asked(replace(question, url=url), None)
