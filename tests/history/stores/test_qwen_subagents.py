"""The subagents of Qwen Code are child sessions."""

import json
from pathlib import Path
from typing import Any

import pytest

from sidecar.history import TaskHistory
from sidecar.history.export import export
from tests.history.conftest import NOW

MAIN = "983dfdf2-e81a-49df-bae1-bf9811241b4b"
AGENT = "agent-general-purpose-call_02170a0c04734a79b58d26ab5977df99"


def record(uuid: str, kind: str, text: str, tokens: int = 0, **more: Any) -> str:
    role = "model" if kind == "assistant" else "user"
    usage = {"promptTokenCount": tokens, "candidatesTokenCount": 1, "totalTokenCount": tokens + 1}
    found = {
        "uuid": uuid,
        "sessionId": MAIN,
        "timestamp": "2026-04-15T10:00:00.000Z",
        "type": kind,
        "cwd": "/w",
        "message": {"role": role, "parts": [{"text": text}]},
        **({"usageMetadata": usage} if tokens else {}),
        **more,
    }
    return json.dumps(found) + "\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    chats = tmp_path / "root" / "projects" / "-w" / "chats"
    chats.mkdir(parents=True)
    (chats / f"{MAIN}.jsonl").write_text(
        record("a", "user", "Delegate it.", provenance="real_user")
        + record("b", "assistant", "Started.", 100)
        + record("c", "user", "<task-notification>", subtype="notification", provenance="system")
        + record("d", "assistant", "All done.", 200)
    )
    return tmp_path / "root"


@pytest.mark.parametrize(
    ("tokens", "status", "outcome"),
    [
        ((100, 0), "active", "interrupted"),
        ((100, 200), "completed", "completed"),
        ((0, 0), "completed", "completed"),
    ],
)
def test_an_answer_without_tokens_was_broken_off_if_others_have_some(
    root: Path, tokens: tuple[int, int], status: str, outcome: str
) -> None:
    (chat,) = (root / "projects" / "-w" / "chats").iterdir()
    first, second = tokens
    chat.write_text(
        record("a", "user", "Count the stars.")
        + record("b", "assistant", "Seven.", first)
        + record("c", "user", "And the moons?")
        + record("d", "assistant", "There are", second)
    )
    (row,) = TaskHistory([root], now=lambda: NOW).list()
    assert (row.status, row.outcome) == (status, outcome)


def test_an_answer_of_a_model_that_never_tells_tokens_was_not_broken_off(root: Path) -> None:
    (chat,) = (root / "projects" / "-w" / "chats").iterdir()
    chat.write_text(
        record("a", "user", "Count the stars.")
        + record("b", "assistant", "Seven.", 100, model="one")
        + record("c", "user", "And the moons?")
        + record("d", "assistant", "Two.", model="other")
    )
    (row,) = TaskHistory([root], now=lambda: NOW).list()
    assert (row.status, row.outcome) == ("completed", "completed")


def add_subagent(root: Path, session: str = MAIN) -> Path:
    path = root / "projects" / "-w" / "subagents" / session / f"{AGENT}.jsonl"
    path.parent.mkdir(parents=True)
    lines = record("e", "user", "Mend it.") + record("f", "assistant", "Mended.", 1_000)
    path.write_text(lines)
    path.with_suffix(".meta.json").write_text('{"persistedCliFlags": {"model": "other"}, "model": "qwen3"}')
    return path


def test_a_subagent_is_a_child_of_its_session(root: Path) -> None:
    history = TaskHistory([root], now=lambda: NOW)
    assert [row.child_ids for row in history.list()] == [None]
    path = add_subagent(root)
    assert history.refresh().added == [AGENT]
    (main,) = history.list()
    assert (main.id, main.child_ids, main.message_count) == (MAIN, [AGENT], 3)
    assert main.token_usage is not None and main.token_usage.with_children is not None
    assert (main.token_usage.input, main.token_usage.with_children.input) == (300, 1_300)
    child = history.get(AGENT)[0]
    assert (child.parent_id, child.title, child.message_count) == (MAIN, "Mend it.", 2)
    assert child.model == "qwen3"
    assert [each.text for each in history.messages(AGENT).messages] == ["Mend it.", "Mended."]
    assert "Mended." in export(history, AGENT, "markdown").text
    with path.open("a") as file:
        file.write(record("g", "assistant", "Really.", 500))
    assert set(history.refresh().changed) == {AGENT, MAIN}


def test_the_subagent_of_an_unknown_session_has_no_parent(root: Path) -> None:
    add_subagent(root, "11111111-2222-4333-8444-555555555555")
    history = TaskHistory([root], now=lambda: NOW)
    assert [row.id for row in history.list()] == [MAIN]
    assert {row.id: row.parent_id for row in history.list(children=True)} == {MAIN: None, AGENT: None}


def test_a_notification_is_not_a_prompt(root: Path) -> None:
    shown = TaskHistory([root], now=lambda: NOW).messages(MAIN).messages
    assert [(each.role, each.kind) for each in shown] == [
        ("user", "text"),
        ("assistant", "text"),
        ("system", "notice"),
        ("assistant", "text"),
    ]


@pytest.mark.parametrize("about", [None, "", "{", "[]", '{"model": 3}', '{"model": "' + "m" * 300_000 + '"}'])
def test_the_model_of_a_subagent_is_unknown_if_nothing_names_it(root: Path, about: str | None) -> None:
    path = add_subagent(root).with_suffix(".meta.json")
    path.unlink() if about is None else path.write_text(about)
    child = TaskHistory([root], now=lambda: NOW).get(AGENT)[0]
    assert (child.model, child.problems) == (None, [])


def test_the_model_is_known_once_it_is_written(root: Path, tmp_path: Path) -> None:
    path = add_subagent(root).with_suffix(".meta.json")
    path.unlink()
    history = TaskHistory([root], now=lambda: NOW, cache=tmp_path / "cache")
    assert {row.id: row.model for row in history.list(children=True)}[AGENT] is None
    path.write_text('{"model": "qwen3"}')
    assert AGENT in history.refresh().changed
    history.close()
    again = TaskHistory([root], now=lambda: NOW, cache=tmp_path / "cache")
    assert {row.id: row.model for row in again.list(children=True)}[AGENT] == "qwen3"
