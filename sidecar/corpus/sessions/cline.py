"""Stores of Cline 4, with every trap that is known of them."""

import json
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

from sidecar.corpus.sessions.plot import STATUS, Answer, Plot, family, make_plots, summed, usage

Json = dict[str, Any]
GONE = 99_999_999
"""The ID of no process."""
_STORED = {
    "answered": "completed",
    "cancelled": "cancelled",
    "failed": "failed",
    "open": "running",
    "killed": "running",
}
_ENVIRONMENT = "\n\n<environment_details>\n# Visible Files\na.ts\n</environment_details>"


def write_cline(root: Path, seed: int, count: int = 12) -> dict[str, Json]:
    """Write a root with sessions, subagents and team tasks; return the true rows by ID."""
    random = Random(seed)
    truth: dict[str, Json] = {}
    for plot in make_plots(seed, count):
        session = f"{plot.created}_{random.randrange(36**4):05x}"
        folder = root / "sessions" / session
        folder.mkdir(parents=True)
        below = [each for each in family(plot) if each is not plot]
        _write_json(folder / f"{session}.json", _manifest(session, plot, below, random))
        _write_messages(folder / f"{session}.messages.json", session, plot, random)
        truth[session] = _truth(session, plot, None, plot, below)
        for place, child in enumerate(below):
            stem = f"agent_{place}x" if place % 2 == 0 else f"agent_{place}x__task_{place}"
            _write_messages(folder / f"{stem}.messages.json", session, child, random)
            key = f"{session}__{stem}" if place % 2 == 0 else f"{session}__teamtask__{stem}"
            truth[key] = _truth(key, child, session, plot, [])
        if random.random() < 0.3:
            _write_json(folder / f"{session}.compaction.json", {"messages": []})
    _write_opened_and_left(root)
    (root / "sessions" / "sessions.db").write_bytes(b"not read")
    return truth


def _manifest(session: str, plot: Plot, below: list[Plot], random: Random) -> Json:
    own = usage(plot)
    cost = own["cost"] if plot.paid else 0
    recorded = _recorded(own, cost)
    total = summed([own, *(usage(each) for each in below)])
    metadata: Json = {"totalCost": cost, "usage": recorded, "aggregateUsage": _recorded(total, total["cost"])}
    if plot.end in ("open", "killed"):  # it is written at the end of a turn
        metadata = {}
    if plot.title:
        metadata["title"] = plot.title
    manifest = {
        "version": 1,
        "session_id": session,
        "source": "cli",
        "pid": GONE,
        "started_at": _iso(plot.created),
        "status": _STORED[plot.end],
        "provider": "cline",
        "model": "some/default",
        "cwd": plot.folder,
        "workspace_root": plot.folder,
        "prompt": plot.turns[0].prompt + _ENVIRONMENT,
        "metadata": metadata,
        "messages_path": f"/home/other/{session}.messages.json",
    }
    if plot.end not in ("open", "killed"):
        manifest |= {"ended_at": _iso(plot.last + 200), "exit_code": 0}
    return manifest


def _recorded(figures: Json, cost: float | None) -> Json:
    return {
        "inputTokens": figures["input"] + figures["cacheReads"] + figures["cacheWrites"],
        "outputTokens": figures["output"],
        "cacheReadTokens": figures["cacheReads"],
        "cacheWriteTokens": figures["cacheWrites"],
        "totalCost": cost or 0,
    }


def _write_messages(path: Path, session: str, plot: Plot, random: Random) -> None:
    messages: list[Json] = []
    for turn in plot.turns:
        wrapped = f'<user_input mode="act">{turn.prompt}</user_input>'
        text = wrapped if random.random() < 0.7 else turn.prompt + _ENVIRONMENT
        messages.append({"id": f"msg_u{turn.at}", "role": "user", "ts": turn.at, "content": _text(text)})
        for answer in turn.answers:
            messages.append(_answer(answer, plot))
            is_last = answer is plot.answers[-1]
            if answer.tool is not None and not (is_last and plot.end in ("open", "killed")):
                messages.append(_result(answer))
    whole = {"version": 1, "updated_at": _iso(plot.last), "agent": "lead", "sessionId": session}
    _write_json(path, {**whole, "messages": messages, "system_prompt": "be good"})


def _text(text: str) -> list[Json]:
    return [{"type": "text", "text": text}]


def _answer(answer: Answer, plot: Plot) -> Json:
    content: list[Json] = _text(answer.text)
    if answer.thought:
        content.insert(0, {"type": "thinking", "thinking": answer.thought})
    if answer.tool is not None:
        name, given, _ = answer.tool
        content.append({"type": "tool_use", "id": f"call_{answer.at}", "name": name, "input": given})
    metrics = {
        "inputTokens": answer.input + answer.reads + answer.writes,
        "outputTokens": answer.output + answer.reasoning,
        "cacheReadTokens": answer.reads,
        "cacheWriteTokens": answer.writes,
    }
    if plot.paid:
        metrics["cost"] = answer.cost  # type: ignore[assignment]
    model = {"id": answer.model, "provider": "cline"}
    return {
        "id": f"msg_a{answer.at}",
        "role": "assistant",
        "ts": answer.done,
        "content": content,
        "modelInfo": model,
        "metrics": metrics,
    }


def _result(answer: Answer) -> Json:
    assert answer.tool is not None
    result = {"type": "tool_result", "tool_use_id": f"call_{answer.at}", "content": answer.tool[2]}
    return {"id": f"msg_r{answer.at}", "role": "user", "ts": answer.done, "content": [result]}


def _write_opened_and_left(root: Path) -> None:
    """Write a session without messages, and folders that are not sessions."""
    session = "1770000000000_empty"
    folder = root / "sessions" / session
    folder.mkdir(parents=True)
    _write_json(folder / f"{session}.json", {"version": 1, "session_id": session, "prompt": "", "pid": 1})
    _write_json(folder / f"{session}.messages.json", {"version": 1, "messages": []})
    (root / "sessions" / "notes").mkdir()
    (root / "settings").mkdir()


def _truth(key: str, plot: Plot, parent: str | None, main: Plot, below: list[Plot]) -> Json:
    ends_alone = plot.end if parent is None else _derived(plot)
    status, outcome = STATUS[ends_alone]
    figures = usage(plot)
    if below:
        figures["withChildren"] = summed([usage(each) for each in (plot, *below)])
    title = plot.title if parent is None and plot.title else plot.turns[0].prompt
    return {
        "id": key,
        "product": "cline",
        "title": " ".join(title.split()),
        "workspaceDir": main.folder,
        "model": plot.answers[-1].model,
        "createdAt": plot.created if parent is None else plot.turns[0].at,
        "lastActivity": plot.last,
        "messageCount": len(plot.turns) + len(plot.answers),
        "tokenUsage": figures,
        "status": status,
        "outcome": outcome,
        "parentId": parent,
    }


def _derived(plot: Plot) -> Any:
    """Return how a subagent ended, which its messages show, because it has no manifest."""
    return "open" if plot.answers[-1].tool is not None else "answered"


def _write_json(path: Path, value: Json) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False))


def _iso(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
