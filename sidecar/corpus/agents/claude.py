"""Make the sessions of Claude Code with every trap of its format, from a seed."""

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from uuid import UUID

from sidecar.corpus.agents.claude_session import Session
from sidecar.corpus.agents.truth import Truth

START: Final = 1_770_000_000_000
"""The time of the first session, in ms; more than a week before `NOW` of the tests."""
MODELS: Final = ("claude-opus-4-6", "claude-sonnet-4-6", "claude-haiku-4-5-20251001")


def generate(root: Path, seed: int, count: int = 12) -> list[Truth]:
    """Write a store with `count` main sessions, and return the true values of all sessions."""
    made = random.Random(seed)
    truths: list[Truth] = []
    earlier: list[Session] = []
    for number in range(count):
        for session, path in _sessions(made, number, earlier):
            file = root / "projects" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("w", encoding="utf-8", newline="\n") as opened:
                for record in session.records:
                    opened.write(
                        json.dumps(record, ensure_ascii=made.random() < 0.5, separators=(",", ":")) + "\n"
                    )
            if session.truth.id:
                truths.append(session.truth)
    _write_other_files(root, made)
    return truths


def sized(root: Path, count: int, size: int) -> int:
    """Write `count` sessions of about `size` bytes each, some much smaller or larger; return the bytes."""
    made = random.Random(size)
    written = 0
    for number in range(count):
        workspace = f"/home/dana/project-{number % 40}"
        session = Session(made, Truth("", model=MODELS[0], workspace=workspace), START, workspace, output=160)
        session.truth.id = session.uuid()
        file = root / "projects" / workspace.replace("/", "-") / f"{session.truth.id}.jsonl"
        file.parent.mkdir(parents=True, exist_ok=True)
        wanted, lines = size * made.choice((1, 2, 4, 8, 17)) // 6, 0
        with file.open("w", encoding="utf-8", newline="\n") as opened:
            while opened.tell() < wanted:
                session.turn()
                for record in session.records[lines:]:
                    opened.write(json.dumps(record, separators=(",", ":")) + "\n")
                lines = len(session.records)
            written += opened.tell()
    return written


def _sessions(made: random.Random, number: int, earlier: list[Session]) -> Iterator[tuple[Session, str]]:
    """Make a main session, and those of its subagents."""
    workspace = made.choice(["/home/li.wei/projects/notes", "C:\\Users\\jürgen\\shop", "/w/a b"])
    session = Session(made, Truth("", model=made.choice(MODELS), workspace=workspace), 0, workspace)
    session.truth.id = session.uuid()
    session.clock = START + number * 50_000_000
    folder = re.sub(r"[^A-Za-z0-9-]", "-", workspace)
    if earlier and made.random() < 0.4:
        session.copy_from(made.choice(earlier))
        session.truth.workspace = session.workspace
    elif made.random() < 0.5:
        session.wrapper()
    for _ in range(made.randrange(1, 4)):
        if made.random() < 0.2:
            session.truth.model = made.choice(MODELS)
        session.turn()
        if made.random() < 0.3:
            session.workspace += "/sub"
    agents = [_agent(session, made) for _ in range(made.randrange(3) if made.random() < 0.4 else 0)]
    inside = made.random() < 0.2
    if inside:
        sidechain = _sidechain(session)
        yield Session(made, sidechain, 0, workspace), f"{folder}/nothing-{number}.txt"
    session.finish()
    _name(session)
    yield session, f"{folder}/{session.truth.id}.jsonl"
    for agent in agents:
        yield agent, f"{folder}/{session.truth.id}/subagents/{agent.truth.id}.jsonl"
    if not inside:
        earlier.append(session)


def _agent(parent: Session, made: random.Random) -> Session:
    """Make a subagent with a file of its own, which may begin with a copy of its session."""
    name = f"{made.getrandbits(68):017x}"
    truth = Truth(
        f"agent-{name}", model=made.choice(MODELS), workspace=parent.workspace, parent=parent.truth.id
    )
    agent = Session(
        made, truth, parent.clock, parent.workspace, sidechain=True, agent=name, session=parent.truth.id
    )
    if made.random() < 0.3:
        agent.copy_from(parent)
        agent.records = [
            {**each, "isSidechain": True, "sessionId": parent.truth.id} for each in agent.records
        ]
        agent.truth.workspace = parent.workspace
    agent.turn()
    parent.clock = agent.clock
    return agent


def _sidechain(parent: Session) -> Truth:
    """Put a subagent into its session's file, as old versions do."""
    made = parent.random
    truth = Truth("", model=made.choice(MODELS), workspace=parent.workspace, parent=parent.truth.id)
    agent = Session(made, truth, parent.clock, parent.workspace, sidechain=True, session=parent.truth.id)
    agent.turn()
    truth.id = agent.records[0]["uuid"]
    parent.records += agent.records
    parent.clock = agent.clock
    return truth


def _name(session: Session) -> None:
    """Name some sessions, more than once; the better kind of name wins, and of one kind the last."""
    made, title = session.random, ""
    for kind, member in (("summary", "summary"), ("ai-title", "aiTitle"), ("custom-title", "customTitle")):
        for _ in range(made.randrange(3) if made.random() < 0.3 else 0):
            title = session.text()
            leaf = {"leafUuid": session.last} if kind == "summary" else {"sessionId": session.truth.id}
            session.records.append({"type": kind, member: f" {title}\n", **leaf})
    session.truth.title = title or session.truth.title


def _write_other_files(root: Path, made: random.Random) -> None:
    folder = root / "projects" / "-empty"
    folder.mkdir(parents=True)
    for number, text in enumerate(
        (
            "",
            '{"type":"queue-operation","operation":"enqueue","timestamp":"2026-02-01T00:00:00.000Z"}\n',
            "\n\n",
        )
    ):
        (folder / f"{UUID(int=made.getrandbits(128), version=4)}.jsonl").write_text(text)
        (folder / f"notes-{number}.jsonl").write_text('{"type":"user","message":{"content":"no"}}\n')
    (root / "settings.json").write_text("{}")
