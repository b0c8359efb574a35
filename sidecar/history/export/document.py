"""The pieces of an exported task, one message in memory at a time."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from sidecar.api.insight import ExportFormat
from sidecar.api.tasks import Provenance, StoredMessage, TaskInfo
from sidecar.history.export.redaction import Redactor
from sidecar.history.javascript import well_formed
from sidecar.history.text import safe_line

FORMAT_VERSION: Final = 1
"""Of the JSON document."""
_HEADING: Final = 120
"""Longest heading, in characters: a title is the whole first prompt."""
_SPEAKERS: Final = {"user": "User", "assistant": "Assistant", "system": "System"}
_FENCED: Final = frozenset({"command", "command_output", "tool", "tool_result"})


def export_task(
    form: ExportFormat,
    task: TaskInfo,
    provenance: Mapping[str, Provenance],
    messages: Iterable[StoredMessage],
    redactor: Redactor | None,
) -> Iterator[str]:
    """Yield the document piece by piece; joined, they are the whole.

    Markdown holds what the user saw; JSON is `{version, task, provenance, messages}` with the members of
    the wire. `messages` are the UI's, or the API's of a task that has no others.
    """
    facts: Any = msgspec.to_builtins(task)
    sources: Any = msgspec.to_builtins(dict(provenance))
    said = (msgspec.to_builtins(message) for message in messages)
    if redactor is not None:
        facts, sources = redactor.value(facts), redactor.value(sources)
        said = (redactor.value(message) for message in said)
    return _json(facts, sources, said) if form == "json" else _markdown(facts, said)


def _json(facts: Any, sources: Any, messages: Iterable[Any]) -> Iterator[str]:
    yield f'{{"version":{FORMAT_VERSION},"task":{_dump(facts)},"provenance":{_dump(sources)},"messages":['
    for place, message in enumerate(messages):
        yield f"{',' if place else ''}\n{_dump(message)}"
    yield "\n]}\n"


def _dump(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _markdown(facts: Mapping[str, Any], messages: Iterable[Any]) -> Iterator[str]:
    title = _escaped(facts["title"])
    heading = title if len(title) <= _HEADING else title[: _HEADING - 1].rstrip() + "…"
    yield f"# {heading}\n\n"
    if heading != title:
        yield f"- **Title**: {title}\n"
    for name, value in _rows(facts):
        yield f"- **{name}**: {safe_line(str(value))}\n"
    for problem in facts["problems"]:
        yield f"- **Problem**: {safe_line(problem['message'])}\n"
    for message in messages:
        yield _message(message)


def _rows(facts: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    usage, mode = facts.get("tokenUsage") or {}, facts["mode"]
    rows = (
        ("Id", facts["id"]),
        ("Status", facts["status"]),
        ("Product", facts["product"]),
        ("Created", _when(facts.get("createdAt"))),
        ("Last activity", _when(facts.get("lastActivity"))),
        ("Mode", mode.get("name") or mode.get("current")),
        ("Model", facts.get("model")),
        ("Workspace", facts.get("workspaceDir")),
        ("Tokens", usage.get("total")),
        ("Cost", _dollars(usage.get("cost"))),
    )
    return ((name, value) for name, value in rows if value is not None)


def _dollars(cost: float | None) -> str | None:
    if cost is None:
        return None
    return "<$0.0001" if 0 < cost < 0.0001 else f"${cost:.4f}" if cost else "$0.00"


def _message(message: Mapping[str, Any]) -> str:
    kind = message["kind"]
    head = _SPEAKERS.get(message["role"], "Unknown") + ("" if kind == "text" else f", {safe_line(kind)}")
    tool = message.get("tool") or {}
    if tool.get("name"):
        head += f" {safe_line(tool['name'])}"
    if moment := _when(message.get("ts")):
        head += f" ({moment})"
    body = message.get("text") or ""
    if not body:
        return f"\n## {head}\n"
    return f"\n## {head}\n\n{_fenced(body) if kind in _FENCED else _quoted_headings(body)}\n"


def _fenced(body: str) -> str:
    """Fence a text with more backticks than it holds in a row."""
    longest, run = 2, 0
    for char in body:
        run = run + 1 if char == "`" else 0
        longest = max(longest, run)
    fence = "`" * (longest + 1)
    return f"{fence}\n{body.rstrip()}\n{fence}"


def _quoted_headings(body: str) -> str:
    """Keep a text's own headings, code apart, from looking like the document's; end code left open."""
    lines, in_code = [], False
    for line in body.rstrip().split("\n"):
        in_code ^= line.lstrip().startswith("```")
        lines.append(f"\\{line}" if line.startswith("#") and not in_code else line)
    return "\n".join([*lines, "```"] if in_code else lines)


def _escaped(text: str) -> str:
    return safe_line(well_formed(text))


def _when(ms: float | None) -> str | None:
    """Say a time in UTC, so that a document means the same everywhere."""
    if ms is None or ms != ms:
        return None
    try:
        return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (OverflowError, ValueError, OSError):
        return None
