"""Stores of opencode and Kilo 7 in all generations of storage, with every trap that is known of them."""

import json
import sqlite3
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

from sidecar.corpus.sessions.plot import (
    STATUS,
    Answer,
    Plot,
    Turn,
    family,
    make_plots,
    summed,
    usage,
)

Json = dict[str, Any]
Row = tuple[str, Json, list[tuple[str, Json]]]
"""Id and data of a message, and of its parts."""
TABLES = """
CREATE TABLE session (id text PRIMARY KEY, project_id text NOT NULL, parent_id text, slug text NOT NULL,
  directory text NOT NULL, title text NOT NULL, version text NOT NULL, time_created integer NOT NULL,
  time_updated integer NOT NULL, time_archived integer);
CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL,
  time_updated integer NOT NULL, data text NOT NULL);
CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL,
  time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
"""
_INDEXES_OF_KILO = """
CREATE INDEX recall_message_role_idx ON message (id, json_extract(data, '$.role'));
CREATE INDEX part_session_step_finish_idx ON part (session_id)
  WHERE json_valid(part.data) AND json_extract(part.data, '$.type') = 'step-finish';
"""


@dataclass
class Written:
    """A root, its true rows by ID, and the databases that are still open for writing."""

    root: Path
    truth: dict[str, Json]
    open: list[sqlite3.Connection] = field(default_factory=list)

    def close(self) -> None:
        """Close the databases."""
        for connection in self.open:
            connection.close()


@dataclass
class Session:
    """One session as the product holds it."""

    id: str
    parent: str | None
    plot: Plot
    title: str
    version: str
    rows: list[Row]
    updated: int
    summaries: list[Answer] = field(default_factory=list)
    """What compactions used; they are not messages."""


class _Ids:
    def __init__(self, random: Random) -> None:
        self._random, self._count = random, 0

    def next(self, kind: str) -> str:
        """Return an ascending ID."""
        self._count += 1
        return f"{kind}_{self._count:012x}{self._random.randrange(16**8):08x}"


def write_opencode(root: Path, seed: int, count: int = 12, product: str = "opencode") -> Written:
    """Write a root with sessions in the first, second and third generation, and copies between them."""
    random = Random(seed)
    ids = _Ids(random)
    written = Written(root, {})
    schema = TABLES + (_INDEXES_OF_KILO if product == "kilo" else "")
    database = _database(root, f"{product}.db", schema)
    other = _database(root, f"{product}-beta.db", schema)
    written.open += [database, other]
    for plot in make_plots(seed, count):
        sessions = list(_sessions(plot, None, ids, random, product))
        place = random.choice(("rows", "rows", "rows", "second", "first", "migrated", "channel"))
        for session in sessions:
            _write(root, place, session, database, other, random)
            written.truth[session.id] = _truth(session, sessions, product)
        if place == "rows" and random.random() < 0.5:
            fork = _fork(sessions[0], ids)
            _insert(database, fork)
            written.truth[fork.id] = _fork_truth(fork, product)
    _write(root, "rows", _empty(ids), database, other, random)
    (root / "storage" / "migration").parent.mkdir(exist_ok=True)
    (root / "storage" / "migration").write_text("2")
    database.commit()
    other.commit()
    return written


def _database(root: Path, name: str, schema: str) -> sqlite3.Connection:
    root.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(root / name)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA wal_autocheckpoint=0")
    connection.executescript(schema)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return connection


def _sessions(plot: Plot, parent: str | None, ids: _Ids, random: Random, product: str) -> Any:
    stamp = datetime.fromtimestamp(plot.created / 1000, UTC).isoformat(timespec="milliseconds")
    kind = "New" if parent is None else "Child"
    title = plot.title or f"{kind} session - {stamp.replace('+00:00', 'Z')}"
    session_id = f"ses_{plot.name:09x}{ids.next('x')[2:]}"
    version = "7.0.46" if product == "kilo" else "1.2.25"
    rows: list[Row] = []
    summaries: list[Answer] = []
    for turn in plot.turns:
        rows += _turn(turn, plot, ids, random, turn is plot.turns[-1])
        if turn is not plot.turns[-1] and random.random() < 0.3:
            at = turn.answers[-1].done + 10
            cost = 0.5 if plot.paid else 0
            summary = Answer(at + 5, at + 9, "what happened", "", None, 40, 30, 0, 20, 0, cost, "tiny")
            rows += _compaction(at, summary, plot, ids)
            summaries.append(summary)
    if product == "kilo":
        _add_cost_of_subagents(rows, plot)
    yield Session(session_id, parent, plot, title, version, rows, plot.last, summaries)
    for child in plot.children:
        yield from _sessions(child, session_id, ids, random, product)


def _add_cost_of_subagents(rows: list[Row], plot: Plot) -> None:
    """Add it to the first answer, where Kilo has it besides the own cost, which its last part has alone."""
    data = next((data for _, data, _ in rows if "finish" in data), None)
    if data is not None:
        data["cost"] += sum(answer.cost for child in plot.children for answer in child.answers)


def _turn(turn: Turn, plot: Plot, ids: _Ids, random: Random, is_last: bool) -> list[Row]:
    user = {"role": "user", "time": {"created": turn.at}, "agent": "build", "model": {"modelID": "other"}}
    parts: list[Json] = [{"type": "text", "text": turn.prompt}]
    if random.random() < 0.3:
        parts.insert(0, {"type": "text", "synthetic": True, "text": "Called the Read tool"})
    asked = ids.next("msg")
    rows: list[Row] = [(asked, user, [(ids.next("prt"), part) for part in parts])]
    for answer in turn.answers:
        ends = is_last and answer is turn.answers[-1]
        rows.append(_answer_row(answer, plot, ids, asked, ends))
    return rows


def _compaction(at: int, summary: Answer, plot: Plot, ids: _Ids) -> list[Row]:
    """Write a request for a summary, which nobody typed, and its answer."""
    asked = ids.next("msg")
    user: Json = {"role": "user", "time": {"created": at}, "agent": "build"}
    message_id, data, parts = _answer_row(summary, plot, ids, asked, ends=False)
    return [
        (asked, user, [(ids.next("prt"), {"type": "compaction", "auto": True})]),
        (message_id, {**data, "summary": True, "mode": "compaction"}, parts),
    ]


def _answer_row(answer: Answer, plot: Plot, ids: _Ids, asked: str, ends: bool) -> Row:
    finish = "tool-calls" if answer.tool is not None else "stop"
    tokens = {
        "input": answer.input,
        "output": answer.output,
        "reasoning": answer.reasoning,
        "cache": {"read": answer.reads, "write": answer.writes},
    }
    data: Json = {
        "role": "assistant",
        "parentID": asked,
        "modelID": answer.model,
        "providerID": "anthropic",
        "mode": "build",
        "agent": "build",
        "path": {"cwd": plot.folder, "root": "/"},
        "time": {"created": answer.at, "completed": answer.done},
        "cost": answer.cost,
        "tokens": tokens,
        "finish": finish,
    }
    killed = ends and plot.end == "killed"
    parts: list[Json] = [{"type": "step-start"}, {"type": "text", "text": answer.text}]
    if answer.thought:
        parts.insert(1, {"type": "reasoning", "text": answer.thought, "time": {"start": answer.at}})
    if answer.tool is not None:
        parts.append(_tool(answer, killed))
    parts.append({"type": "step-finish", "reason": finish, "cost": answer.cost, "tokens": tokens})
    if killed:
        del data["time"]["completed"], data["finish"], parts[-1]
    if ends and plot.end == "cancelled":
        data["error"] = {"name": "MessageAbortedError", "data": {"message": "aborted"}}
    if ends and plot.end == "failed":
        data["error"] = {"name": "APIError", "data": {"message": "overloaded"}}
    return ids.next("msg"), data, [(ids.next("prt"), part) for part in parts]


def _tool(answer: Answer, running: bool) -> Json:
    assert answer.tool is not None
    name, given, output = answer.tool
    state: Json = {"status": "running", "input": given, "time": {"start": answer.at}}
    if not running:
        state |= {"status": "completed", "output": output, "time": {"start": answer.at, "end": answer.done}}
    return {"type": "tool", "tool": name, "callID": f"call_{answer.at}", "state": state}


def _write(root: Path, place: str, session: Session, rows: Any, other: Any, random: Random) -> None:
    if place in ("rows", "migrated"):
        _insert(rows, session)
    if place == "channel":  # the same session in the database of another channel, in an older state
        _insert(rows, session, short=True)
        _insert(other, session)
    if place in ("second", "migrated"):
        _second(root, session, short=place == "migrated" and random.random() < 0.5)
    if place == "first":
        _first(root, session)


def _insert(connection: sqlite3.Connection, session: Session, short: bool = False) -> None:
    plot = session.plot
    connection.execute(
        "INSERT INTO session VALUES (?, 'p', ?, 'slug', ?, ?, ?, ?, ?, NULL)",
        (
            session.id,
            session.parent,
            plot.folder,
            session.title,
            session.version,
            plot.created,
            session.updated - 10_000 * short,
        ),
    )
    for message_id, data, parts in session.rows[: 1 if short else None]:
        at = data["time"]["created"]
        connection.execute(
            "INSERT INTO message VALUES (?, ?, ?, ?, ?)", (message_id, session.id, at, at, json.dumps(data))
        )
        for part_id, part in parts:
            held = (part_id, message_id, session.id, at, at, json.dumps(part, ensure_ascii=False))
            connection.execute("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", held)


def _second(root: Path, session: Session, short: bool) -> None:
    base = root / "storage"
    _file(base / "session" / f"{session.plot.name:x}" / f"{session.id}.json", _header(session, short))
    for message_id, data, parts in session.rows[: 1 if short else None]:
        whole = {"id": message_id, "sessionID": session.id, **data}
        _file(base / "message" / session.id / f"{message_id}.json", whole)
        for part_id, part in parts:
            _file(base / "part" / message_id / f"{part_id}.json", {"id": part_id, **part})


def _first(root: Path, session: Session) -> None:
    base = root / "project" / "global" / "storage" / "session"
    _file(base / "info" / f"{session.id}.json", _header(session, short=False))
    for message_id, data, parts in session.rows:
        whole = {"id": message_id, "sessionID": session.id, **data}
        whole.pop("finish", None)
        _file(base / "message" / session.id / f"{message_id}.json", whole)
        for part_id, part in parts:
            _file(base / "part" / session.id / message_id / f"{part_id}.json", {"id": part_id, **part})


def _header(session: Session, short: bool) -> Json:
    header = {
        "id": session.id,
        "version": session.version,
        "directory": session.plot.folder,
        "title": session.title,
        "time": {"created": session.plot.created, "updated": session.updated - 10_000 * short},
    }
    return header | ({"parentID": session.parent} if session.parent else {})


def _file(path: Path, value: Json) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2))


def _fork(session: Session, ids: _Ids) -> Session:
    """Copy a session's messages under new IDs, and continue with one more turn."""
    plot = session.plot
    created = plot.last + 60_000
    answer = Answer(created + 900, created + 990, "forked", "", None, 5, 6, 0, 7, 8, 0.25, "gpt-5.2")
    turn = Turn(created + 500, "and now differently", [answer])
    forked = Plot(plot.name, "a fork", plot.folder, created, [turn], "answered")
    random = Random(0)
    copies = [
        (ids.next("msg"), data, [(ids.next("prt"), part) for _, part in parts])
        for _, data, parts in session.rows
    ]
    rows = copies + _turn(turn, forked, ids, random, True)
    return Session(f"ses_f{plot.name:x}", None, forked, "a fork", session.version, rows, answer.done)


def _empty(ids: _Ids) -> Session:
    """Write a session without messages."""
    plot = Plot(1, "opened and left", "/nowhere", 1_770_000_000_000, [], "open")
    return Session(ids.next("ses"), None, plot, "opened and left", "1.2.25", [], plot.created)


def _truth(session: Session, sessions: list[Session], product: str) -> Json:
    plot, (status, outcome) = session.plot, STATUS[session.plot.end]
    figures = usage(plot, session.summaries)
    below = {id(each) for each in family(plot)} - {id(plot)}
    if below:
        others = [usage(each.plot, each.summaries) for each in sessions if id(each.plot) in below]
        figures["withChildren"] = summed([figures, *others])
    return {
        "id": session.id,
        "product": product,
        "title": " ".join((plot.title or plot.turns[0].prompt).split()),
        "workspaceDir": plot.folder,
        "model": plot.answers[-1].model,
        "createdAt": plot.created,
        "lastActivity": plot.last,
        "messageCount": len(plot.turns) + len(plot.answers),
        "tokenUsage": figures,
        "status": status,
        "outcome": outcome,
        "parentId": session.parent,
    }


def _fork_truth(session: Session, product: str) -> Json:
    return {**_truth(session, [session], product), "title": "a fork"}
