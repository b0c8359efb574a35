"""What a session of Cline 4 shows in a list. Pure, except that a running session asks for its process."""

import re
from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from sidecar.api.stored.tasks import Problem
from sidecar.history.stores.cline_sessions.records import Json, Transcript, blocks, member, text
from sidecar.history.stores.cline_sessions.usage import usage_of
from sidecar.history.stores.sessions.session import End, Session
from sidecar.history.stores.sessions.times import iso_ms, time_ms

_WRAPPER: Final = re.compile(
    r"\A\s*<user_input(?:\s[^<>]{0,200})?>(?P<words>.*?)(?:</user_input>|\Z)", re.DOTALL
)
_MACHINE_MADE: Final = re.compile(
    r"<(environment_details|user_instructions|system_notice|task_progress)>.*?(?:</\1>|\Z)", re.DOTALL
)
_ENDS: Final[dict[str, End]] = {
    "completed": "answered",
    "failed": "failed",
    "error": "failed",
    "cancelled": "cancelled",
    "canceled": "cancelled",
    "aborted": "cancelled",
    "stopped": "cancelled",
}
"""The end of a session by the status that is stored; a running one asks for its process."""

_UNREAD: Final = ("notRegular", "tooLarge", "unreadable")

IsAlive = Callable[[int, int | None], bool]
"""Whether a process, by its ID, runs that began before a time in ms."""


class Files(msgspec.Struct):
    """What was read of a session: `manifest` is the one of the main session also for a child."""

    key: str
    manifest: Json
    transcript: Transcript
    size: int
    source: str
    parent: str | None = None
    problems: Sequence[Problem] = ()


def session_of(files: Files, is_alive: IsAlive) -> Session | None:
    """Describe a session; None if neither a person nor a model wrote anything that is or was readable."""
    messages, is_child = files.transcript.messages, files.parent is not None
    prompts = [words for message in messages if (words := prompt_text(message))]
    answers = [message for message in messages if is_answer(message)]
    own = {} if is_child else files.manifest
    if not prompts and not answers and not _lost_some(files, own):
        return None
    times = [at for message in messages if (at := time_ms(message.get("ts"))) is not None]
    started = iso_ms(own.get("started_at")) or _time_in_id(files.key if not is_child else "")
    updated = iso_ms(files.transcript.updated) or (None if times else iso_ms(own.get("ended_at")))
    last = [*times, *([updated] if updated is not None else [])]
    model = next(
        (name for each in reversed(answers) if (name := text(member(each, "modelInfo"), "id"))), None
    )
    return Session(
        id=files.key,
        product="cline",
        end=_end(own, messages, is_alive),
        source=files.source,
        title=text(member(own, "metadata"), "title")
        or next(iter(prompts), None)
        or _typed(own.get("prompt")),
        workspace_dir=text(files.manifest, "cwd") or text(files.manifest, "workspace_root"),
        model=model or text(own, "model"),
        created_at=started or min(times, default=None),
        last_activity=max(last, default=started),
        message_count=len(prompts) + len(answers),
        usage=usage_of(member(own, "metadata"), answers),
        size_bytes=files.size,
        is_child=is_child,
        parent_id=files.parent,
        problems=[*files.problems, *files.transcript.problems],
    )


def _lost_some(files: Files, own: Json) -> bool:
    """Return whether there were messages, of which none can be read."""
    found = files.transcript.problems
    if any(each.code in _UNREAD for each in found) or (found and files.size):
        return True
    return bool((found or not files.transcript.exists) and text(own, "prompt"))


def is_answer(message: Json) -> bool:
    """Return whether a model wrote a message."""
    return message.get("role") == "assistant" and bool(blocks(message))


def prompt_text(message: Json) -> str:
    """Return what a person typed in a message; "" if it holds results of tools or the product's own texts."""
    if message.get("role") != "user":
        return ""
    typed = (_typed(block.get("text")) for block in blocks(message) if block.get("type") == "text")
    return "\n".join(filter(None, typed))


def _typed(value: object) -> str:
    if not isinstance(value, str):
        return ""
    wrapped = _WRAPPER.match(value)
    return _MACHINE_MADE.sub("", wrapped["words"] if wrapped else value).strip()


def _end(manifest: Json, messages: Sequence[Json], is_alive: IsAlive) -> End:
    """Determine the end from the stored status, else from the last message."""
    status = text(manifest, "status")
    if status in _ENDS:
        return _ENDS[status]
    if status == "running":
        pid = manifest.get("pid")
        runs = type(pid) is int and is_alive(pid, iso_ms(manifest.get("started_at")))
        return "open" if runs else "killed"
    if not messages or messages[-1].get("role") != "assistant":
        return "open"
    return "open" if any(it.get("type") == "tool_use" for it in blocks(messages[-1])) else "answered"


def _time_in_id(key: str) -> int | None:
    digits = key.partition("_")[0]
    return time_ms(int(digits)) if digits.isascii() and digits.isdigit() and len(digits) < 15 else None
