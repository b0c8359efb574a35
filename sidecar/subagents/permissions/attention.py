"""Show a permission request to clients: what the agent wants to do, and what each answer covers."""

import json
import os
from typing import Any

from sidecar.api.runs.async_tasks import Attention, AttentionOption
from sidecar.subagents.permissions import paths, shortening, web_address
from sidecar.subagents.permissions.places import directories
from sidecar.subagents.permissions.policy import EDITS, READS
from sidecar.subagents.permissions.question import Option, Question
from sidecar.subagents.permissions.scope import Scope


def offers(question: Question, scope: Scope | None) -> list[AttentionOption]:
    """Return the answers that a person can choose from.

    Without a scope, "always" is left out, unless the agent has no other answer that allows or denies. The
    sidecar then applies it once, even if the agent remembers it.
    """
    return [
        AttentionOption(
            option_id=each.option_id,
            name=each.name,
            kind=each.kind,
            scope=scope.words if scope is not None and _is_always(each) else None,
        )
        for each in question.options
        if scope is not None or not _is_always(each) or question.once(each) == each
    ]


def attention(
    question: Question, options: list[AttentionOption], diff: str | None, workspace: str
) -> Attention:
    """Return the request in the form that clients show and answer."""
    return Attention(
        kind="permission",
        request_id=question.request_id,
        title=question.title,
        options=options,
        tool_kind=question.tool_kind,
        command=_command(question),
        cwd=_cwd(question, workspace),
        paths=_paths(question),
        diff=diff,
        url=_url(question),
    )


def event(question: Question, workspace: str) -> dict[str, Any]:
    """Return the members that all permission events of a question share."""
    known = {
        "toolCallId": question.tool_call_id,
        "command": _command(question),
        "cwd": _cwd(question, workspace),
        "paths": _paths(question),
        "url": _url(question),
    }
    return {
        "type": "permission",
        "requestId": question.request_id,
        "title": question.title,
        "toolKind": question.tool_kind,
        **{name: value for name, value in known.items() if value is not None},
    }


def option_event(option: AttentionOption) -> dict[str, str]:
    """Return an offered answer in the form of events."""
    scope = {} if option.scope is None else {"scope": option.scope}
    return {"optionId": option.option_id, "name": option.name, "kind": option.kind, **scope}


def _is_always(option: Option) -> bool:
    return option.kind.endswith("_always")


def _command(question: Question) -> str | None:
    """Return the command, or the arguments as JSON if nothing else describes the call."""
    shown = question.command
    if shown is None and question.arguments and not _is_shown(question):
        shown = json.dumps(question.arguments, ensure_ascii=False, separators=(",", ":"), default=str)
    return None if shown is None else shortening.cut_middle(shown, shortening.COMMAND_CHARS)


def _cwd(question: Question, workspace: str) -> str | None:
    """Return the directory of the shown command; an agent may name several directories."""
    if _command(question) is None:
        return None
    named = [str(each) for each in directories(question.arguments or {})]
    places = [each if each[:1] == "~" else os.path.join(workspace, each) for each in named]  # noqa: PTH118
    return shortening.cut_middle(" or ".join(dict.fromkeys(places)) or workspace, paths.MAX_CHARS)


def _is_shown(question: Question) -> bool:
    return question.url is not None or bool(question.paths and question.tool_kind in EDITS | READS)


def _paths(question: Question) -> list[str] | None:
    return shortening.shown_paths(question.paths, paths.MAX_CHARS) or None


def _url(question: Question) -> str | None:
    return None if question.url is None else shortening.cut_middle(question.url, web_address.MAX_CHARS)
