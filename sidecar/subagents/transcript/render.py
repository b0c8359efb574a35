"""Render a transcript in the layout of stored tasks: two message files and the list entry.

The layout is Roo Code's (3.42 and later), so that every reader of such folders can read a run.
"""

from collections.abc import Iterable
from typing import Any

from sidecar.changes.file_change import FileChange
from sidecar.subagents.journal import codec
from sidecar.subagents.transcript.document import End, Entry, Snapshot

Message = dict[str, Any]

USAGE = "api_req_started"


def ui_messages(snapshot: Snapshot) -> list[Message]:
    """Return the messages a person sees; the first one is the goal, which readers use as the title."""
    messages = [_say("text", snapshot.head.started_at, snapshot.head.goal)]
    if snapshot.usage:
        messages.append(_say(USAGE, snapshot.head.started_at, _json(snapshot.usage)))
    messages += [_say(entry.kind, entry.ts, entry.text) for entry in snapshot.entries]
    return messages if snapshot.end is None else with_end(messages, snapshot.end)


def with_end(messages: list[Message], end: End) -> list[Message]:
    """Return UI messages followed by the end that readers look for."""
    if end.outcome == "completed":
        done = _say("completion_result", end.at, end.final_message or "")
        return [*messages, done, _ask("completion_result", end.at, "")]
    if end.outcome == "failed":
        return [*messages, _ask("api_req_failed", end.at, end.error or "")]
    # The only usage record moves to the end: there it marks a stop by the user, and counts once.
    usage = [_numbers(message) for message in messages if message.get("say") == USAGE]
    rest = [message for message in messages if message.get("say") != USAGE]
    last = {**(usage[-1] if usage else {}), "cancelReason": "user_cancelled"}
    return [*rest, _say(USAGE, end.at, _json(last))]


def has_end(messages: list[Message]) -> bool:
    """Return whether UI messages already end as `with_end` writes them."""
    last = messages[-1] if messages else {}
    stopped = last.get("say") == USAGE and '"cancelReason"' in str(last.get("text"))
    return stopped or last.get("ask") in ("completion_result", "api_req_failed")


def api_messages(snapshot: Snapshot) -> list[Message]:
    """Return the messages a model would see, with the workspace and mode in the environment block."""
    head, end = snapshot.head, snapshot.end
    first = [_text(f"<task>\n{head.goal}\n</task>"), _text(_environment(snapshot))]
    messages: list[Message] = [{"role": "user", "content": first, "ts": head.started_at}]
    messages += [_turn(entry, n) for n, entry in enumerate(snapshot.entries)]
    if end is not None and end.outcome == "completed":
        messages.append(
            _assistant(end.at, _tool_use("end", "attempt_completion", {"result": end.final_message}))
        )
    return messages


def metadata(changes: Iterable[FileChange]) -> Message:
    """Return changed files in the format of Roo Code's list of files in context.

    The members `actions`, `additions` and `deletions` are additions; other readers ignore them.
    """
    return {"files_in_context": [_file_record(change) for change in changes]}


def history_item(snapshot: Snapshot, last_ts: int, size: int) -> Message:
    """Return the list entry: `last_ts` of the last UI message, `size` in bytes of the message files.

    Unreported numbers are left out: 0 would be a claim.
    """
    head, usage = snapshot.head, snapshot.usage
    item = {
        "id": head.task_id,
        "number": -1,
        "ts": last_ts,
        "task": head.goal,
        "tokensIn": usage.get("tokensIn"),
        "tokensOut": usage.get("tokensOut"),
        "cacheReads": usage.get("cacheReads"),
        "cacheWrites": usage.get("cacheWrites"),
        "totalCost": usage.get("cost"),
        "size": size,
        "workspace": head.workspace_dir,
        "mode": head.subagent_name,
        "modelId": snapshot.model,
        "sessionTaskId": snapshot.session,
        "product": "sidecar",
        "outcome": snapshot.end.outcome if snapshot.end else "streaming",
        "parentTaskId": head.parent_task_id,
        "rootTaskId": head.root_task_id,
    }
    return _known(item)


def _file_record(change: FileChange) -> Message:
    record = {
        "path": change.path,
        "record_state": "stale" if "deleted" in change.actions else "active",
        "record_source": "roo_edited",
        "roo_edit_date": change.at,
        "actions": sorted(change.actions),
        "additions": change.additions,
        "deletions": change.deletions,
    }
    return _known(record)


def _known(members: Message) -> Message:
    return {key: value for key, value in members.items() if value is not None}


def _numbers(message: Message) -> Message:
    try:
        value = codec.decode(str(message.get("text")).encode())
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _environment(snapshot: Snapshot) -> str:
    name, workspace = snapshot.head.subagent_name, snapshot.head.workspace_dir
    mode = f"# Current Mode\n<slug>{name}</slug>\n<name>{name}</name>"
    if snapshot.model is not None and snapshot.model.isprintable() and "<" not in snapshot.model:
        mode += f"\n<model>{snapshot.model}</model>"
    files = f"# Current Workspace Directory ({workspace}) Files"
    return f"<environment_details>\n{mode}\n\n{files}\n</environment_details>"


def _turn(entry: Entry, n: int) -> Message:
    if entry.kind == "user_feedback":
        return {"role": "user", "content": [_text(entry.text)], "ts": entry.ts}
    return _assistant(entry.ts, _block(entry, n))


def _block(entry: Entry, n: int) -> Message:
    if entry.kind == "text":
        return _text(entry.text)
    if entry.kind == "reasoning":
        return {"type": "reasoning", "text": entry.text, "summary": []}
    payload = codec.decode(entry.text.encode())
    return _tool_use(f"call-{n}", payload.pop("tool"), payload)


def _tool_use(call_id: str, name: str, arguments: Message) -> Message:
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def _assistant(ts: int, block: Message) -> Message:
    return {"role": "assistant", "content": [block], "ts": ts}


def _text(text: str) -> Message:
    return {"type": "text", "text": text}


def _say(kind: str, ts: int, text: str) -> Message:
    return {"ts": ts, "type": "say", "say": kind, "text": text}


def _ask(kind: str, ts: int, text: str) -> Message:
    return {"ts": ts, "type": "ask", "ask": kind, "text": text}


def _json(value: Message) -> str:
    return codec.encode(value).decode()
