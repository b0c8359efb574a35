"""Make the sessions of Codex with every trap of its format, from a seed."""

import json
import random
import sqlite3
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from sidecar.corpus.agents.codex_items import as_item
from sidecar.corpus.agents.truth import Truth, iso
from sidecar.corpus.truth import Used

START: Final = 1_770_000_000_000
"""The time of the first session, in ms; more than a week before `NOW` of the tests."""
MODELS: Final = ("gpt-5.4", "gpt-5.4-mini")
WORDS: Final = ("parser", "日志轮转", "für", "uploader", "cache", "tests", "экспорт", "login")
FALSE_USAGE: Final = ' {"type":"token_count","info":{"total_token_usage":{"input_tokens":99999}}}'

Record = dict[str, Any]
Sums = tuple[int, int, int]


@dataclass
class Session:
    """The records of one file, and what is true of the session."""

    random: random.Random
    truth: Truth
    clock: int
    records: list[Record] = field(default_factory=list)
    total: Sums = (0, 0, 0)
    """Input, cached input and output so far, copied turns included."""
    base: Sums = (0, 0, 0)
    first_prompt: str = ""
    copied: bool = False

    def uuid(self) -> str:
        """Make an ID of version 7 at the current time."""
        value = (self.clock << 80) | (7 << 76) | (2 << 62) | self.random.getrandbits(60)
        return str(UUID(int=value))

    def add(self, kind: str, payload: Record, after: int | None = None) -> None:
        """Append a record at a later time."""
        self.clock += self.random.randrange(300, 5_000) if after is None else after
        self.records.append({"timestamp": iso(self.clock), "type": kind, "payload": payload})
        self.truth.last_activity = self.clock

    def event(self, kind: str, **members: Any) -> None:
        """Append an event."""
        self.add("event_msg", {"type": kind, **members})

    def item(self, kind: str, **members: Any) -> None:
        """Append an item."""
        self.add("response_item", {"type": kind, **members})

    def text(self) -> str:
        """Make a prompt or an answer."""
        words = self.random.choices(WORDS, k=self.random.randrange(2, 8))
        return f"{' '.join(words)} {self.random.getrandbits(40):x}"

    def begin(self, source: object = "cli", **members: Any) -> None:
        """Write the head of the file; the session was made a while before it."""
        self.truth.id, self.truth.created_at = self.uuid(), self.clock
        meta = {
            "id": self.truth.id,
            "timestamp": iso(self.clock),
            "cwd": self.truth.workspace,
            "source": source,
        }
        self.add("session_meta", {**meta, **members, "base_instructions": {"text": "Rules. " * 50}})

    def replay(self, other: "Session") -> None:
        """Copy the records of another session under the current time, as forks and subagents begin."""
        for record in other.records:
            self.records.append({**record, "timestamp": iso(self.clock + self.random.randrange(2))})
        self.total = self.base = other.total
        self.copied = True
        self.clock += 5_000

    def turn(self, end: str = "task_complete") -> None:
        """Write a turn: a prompt, calls of tools, answers with their usage, and the end."""
        turn = self.uuid()
        self.event("task_started", turn_id=turn)
        if not self.records or self.random.random() < 0.5:
            for text in (
                "# AGENTS.md instructions for /x\n",
                "<environment_context>\n</environment_context>",
            ):
                self.item("message", role="user", content=[{"type": "input_text", "text": text}])
        self.add("turn_context", {"turn_id": turn, "cwd": "/somewhere/else", "model": self.truth.model})
        prompt = self.text()
        shown = (
            f"# Context from my IDE setup:\n\n## Open tabs:\n- a.py\n\n## My request for Codex:\n{prompt}\n"
        )
        message = shown if self.random.random() < 0.3 else prompt
        self.item("message", role="user", content=[{"type": "input_text", "text": message}])
        self.event("user_message", message=message, images=[])
        self.first_prompt = self.first_prompt or prompt
        self.truth.messages += 1
        if self.random.random() < 0.5:
            self.event("token_count", info=None, rate_limits={"primary": {"used_percent": 4.0}})
        for _ in range(self.random.randrange(1, 4)):
            self.answer()
        self.finish(end, turn)

    def answer(self) -> None:
        """Write an answer, perhaps a call, and the usage, perhaps twice."""
        text = self.text() + (FALSE_USAGE if self.random.random() < 0.3 else "")
        self.item("reasoning", summary=[], encrypted_content="x" * 40)
        self.event("agent_message", message=text)
        self.item("message", role="assistant", content=[{"type": "output_text", "text": text}])
        self.truth.messages += 1
        if self.random.random() < 0.6:
            patch = "*** Begin Patch\n*** Update File: a.py\n@@\n-a\n+b\n+c\n*** End Patch"
            self.item("custom_tool_call", name="apply_patch", call_id="call_1", input=patch)
            self.item(
                "custom_tool_call_output",
                call_id="call_1",
                output='{"output":"ok","metadata":{"exit_code":0}}',
            )
        given, made = self.random.randrange(500, 50_000), self.random.randrange(1, 3_000)
        cached = self.random.randrange(given)
        used = Used(input=given - cached, output=made, cache_reads=cached)
        self.truth.answers.append((self.truth.model or "", used))
        self.total = (self.total[0] + given, self.total[1] + cached, self.total[2] + made)
        for _ in range(self.random.randrange(1, 3)):
            names = ("input_tokens", "cached_input_tokens", "output_tokens")
            total = dict(zip(names, self.total, strict=True))
            last = dict(zip(names, (given, cached, made), strict=True))
            self.event("token_count", info={"total_token_usage": total, "last_token_usage": last})

    def finish(self, end: str, turn: str) -> None:
        """End a turn."""
        truth = self.truth
        match end:
            case "task_complete":
                self.event("task_complete", turn_id=turn, last_agent_message="Done.")
                truth.status, truth.outcome = "completed", "completed"
            case "turn_aborted":
                self.event("turn_aborted", turn_id=turn, reason="interrupted")
                truth.status, truth.outcome = "abandoned", "cancelled"
            case "error":
                self.event("error", message="stream disconnected")
                if self.random.random() < 0.5:
                    self.event("task_complete", turn_id=turn, last_agent_message=None)
                truth.status, truth.outcome = "failed", "failed"
            case _:
                truth.status, truth.outcome = "abandoned", "interrupted"

    def close(self) -> None:
        """State the title."""
        self.truth.title = self.first_prompt


def generate(root: Path, seed: int, count: int = 10) -> list[Truth]:
    """Write a store with `count` sessions and more forks and subagents, and return the true values of all."""
    made = random.Random(seed)
    sessions = [_session(made, number) for number in range(count)]
    for number, session in enumerate(list(sessions)):
        if made.random() < 0.3:
            sessions.append(_derived(made, session, spawned=number % 2 == 0))
    for session in sessions:
        session.close()
        _write(root, session, made)
    _write_names(root, sessions, made)
    empty = Session(made, Truth("", workspace="/w"), START)
    empty.begin()
    _write(root, empty, made)
    return [session.truth for session in sessions]


def _session(made: random.Random, number: int) -> Session:
    workspace = made.choice(["/home/li.wei/notes", "C:\\Users\\jürgen\\shop"])
    session = Session(
        made, Truth("", model=made.choice(MODELS), workspace=workspace), START + number * 90_000_000
    )
    session.begin()
    for _ in range(made.randrange(3)):
        session.turn()
        if made.random() < 0.3:
            session.truth.model = made.choice(MODELS)
    older = made.choice([None, 0, len(session.records)])
    session.turn(made.choice(["task_complete", "task_complete", "turn_aborted", "error", "killed"]))
    if older is not None:  # a newer version wrote the session, or continued it
        session.records[older:] = map(as_item, session.records[older:])
    return session


def _derived(made: random.Random, parent: Session, *, spawned: bool) -> Session:
    """Make a fork of a session, or a subagent of it, which both begin with a copy of its records."""
    truth = Truth("", model=made.choice(MODELS), workspace=parent.truth.workspace)
    session = Session(made, truth, parent.clock + 60_000)
    if spawned:
        truth.parent = parent.truth.id
        spawn = {"parent_thread_id": parent.truth.id, "depth": 1, "agent_nickname": "Euler"}
        session.begin({"subagent": {"thread_spawn": spawn}}, forked_from_id=parent.truth.id)
    else:
        session.begin(forked_from_id=parent.truth.id)
    if not spawned or made.random() < 0.7:
        session.replay(parent)
    session.turn()
    return session


def _write(root: Path, session: Session, made: random.Random) -> None:
    at = datetime.fromtimestamp((session.truth.created_at or 0) / 1000, UTC)
    folder = root / ("archived_sessions" if made.random() < 0.2 else at.strftime("sessions/%Y/%m/%d"))
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"rollout-{at:%Y-%m-%dT%H-%M-%S}-{session.truth.id}.jsonl"
    with file.open("w", encoding="utf-8", newline="\n") as opened:
        for record in session.records:
            opened.write(json.dumps(record, ensure_ascii=made.random() < 0.5, separators=(",", ":")) + "\n")


def _write_names(root: Path, sessions: list[Session], made: random.Random) -> None:
    """Name some sessions in the index, where the last line of each counts, and others in the database."""
    lines: list[str] = []
    with sqlite3.connect(root / "state_4.sqlite") as old:
        old.execute("CREATE TABLE threads (id TEXT, title TEXT, first_user_message TEXT)")
        old.executemany(
            "INSERT INTO threads VALUES (?, 'old name', '')", [(each.truth.id,) for each in sessions]
        )
    old.close()
    with sqlite3.connect(root / "state_5.sqlite") as state:
        state.execute("CREATE TABLE threads (id TEXT, title TEXT, first_user_message TEXT)")
        for session in sessions:
            truth, prompt = session.truth, session.first_prompt
            named = made.choice(["", "", "index", "database"])
            if named == "index":
                truth.title = session.text()
                for name in (session.text(), truth.title):
                    lines.append(json.dumps({"id": truth.id, "thread_name": name}))
            elif named == "database":
                truth.title = session.text()
            title = truth.title if named == "database" else prompt
            state.execute("INSERT INTO threads VALUES (?, ?, ?)", (truth.id, title, prompt))
    state.close()
    (root / "session_index.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
