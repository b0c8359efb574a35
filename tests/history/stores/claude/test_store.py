"""What happens to a store of Claude Code while it is read, and how its sessions depend on each other."""

import json
import os
import queue
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.api.stored.tasks import TokenUsage
from sidecar.corpus.agents.claude import START
from sidecar.corpus.agents.claude_session import Session
from sidecar.corpus.agents.truth import Truth, iso
from sidecar.history.export import export
from sidecar.history.live import LiveHistory
from sidecar.history.task_history import Changes, TaskHistory
from tests.history.live.conftest import WAIT_SECONDS, until
from tests.history.stores.fixtures.growing import append, history_of, tasks


def made(number: int = 1) -> Session:
    """Make a session with one turn."""
    session = Session(
        Random(number), Truth("", model="claude-opus-4-6", workspace="/w"), START + number, "/w"
    )
    session.truth.id = session.uuid()
    session.turn()
    return session


def path_of(root: Path, session: Session) -> Path:
    return root / "projects" / "-w" / f"{session.truth.id}.jsonl"


def write(root: Path, session: Session, start: int = 0) -> None:
    """Write the records of a session from `start` on."""
    append(path_of(root, session), session.records[start:])


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "store"


def test_an_appended_turn_is_announced_and_only_it_is_read(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, other = made(1), made(2)
    write(root, session)
    write(root, other)
    history = history_of(root)
    announced: queue.Queue[Changes] = queue.Queue()
    live = LiveHistory(history, announced.put)
    live.start()
    try:
        assert announced.get(timeout=WAIT_SECONDS).added == sorted([session.truth.id, other.truth.id])
        until(lambda: live.state.mode == "watch", "mode watch")
        for _ in range(2):
            known = len(session.records)
            session.turn()
            write(root, session, known)
            assert announced.get(timeout=WAIT_SECONDS) == Changes([], [session.truth.id], [])
        assert tasks(history)[session.truth.id].message_count == session.truth.messages
        third = made(3)
        write(root, third)
        assert announced.get(timeout=WAIT_SECONDS) == Changes([third.truth.id], [], [])
        path_of(root, other).unlink()
        assert announced.get(timeout=WAIT_SECONDS) == Changes([], [], [other.truth.id])
    finally:
        live.close(5)


def test_copied_records_pass_to_the_copy_when_the_original_is_deleted(root: Path) -> None:
    original, copy = made(1), made(2)
    copy.records.clear()
    copy.truth = Truth(copy.truth.id, model="claude-opus-4-6", workspace="/w")
    copy.copy_from(original)
    copy.turn()
    write(root, original)
    write(root, copy)
    history = history_of(root)
    assert tasks(history)[copy.truth.id].message_count == copy.truth.messages
    path_of(root, original).unlink()
    assert tasks(history)[copy.truth.id].message_count == copy.truth.messages + original.truth.messages
    write(root, original)
    assert tasks(history)[copy.truth.id].message_count == copy.truth.messages
    history.close()
    path_of(root, original).unlink()
    later = tasks(history_of(root))[copy.truth.id]
    assert later.message_count == copy.truth.messages + original.truth.messages
    assert later.created_at == original.truth.created_at


def test_a_summary_in_another_file_names_the_session_that_holds_its_leaf(root: Path) -> None:
    session = made(1)
    write(root, session)
    history = history_of(root)
    assert tasks(history)[session.truth.id].title == session.truth.title
    naming = root / "projects" / "-w" / f"{made(9).truth.id}.jsonl"
    leaf = session.records[-1]["uuid"]
    naming.write_text(json.dumps({"type": "summary", "summary": "The  name", "leafUuid": leaf}) + "\n")
    assert {task.title for task in tasks(history).values()} == {"The name"}
    known = len(session.records)
    session.turn()
    write(root, session, known)
    assert {task.title for task in tasks(history).values()} == {"The name"}


def test_a_subagent_of_an_unknown_session_is_listed_with_children_only(root: Path) -> None:
    parent, agent = made(1), made(2)
    folder = root / "projects" / "-w" / parent.truth.id / "subagents" / "workflows" / "run"
    folder.mkdir(parents=True)
    agent.sidechain = True
    lines = "".join(json.dumps({**record, "isSidechain": True}) + "\n" for record in agent.records)
    (folder / "agent-1f.jsonl").write_text(lines)
    history = history_of(root)
    assert tasks(history)["agent-1f"].parent_id is None and history.list() == []
    write(root, parent)
    assert tasks(history)["agent-1f"].parent_id == parent.truth.id
    assert [task.child_ids for task in history.list()] == [["agent-1f"]]
    assert [task.id for task in history.list(query=f"parent:{parent.truth.id}")] == ["agent-1f"]


def test_a_subagent_inside_of_a_file_whose_records_are_copied_is_not_listed(root: Path) -> None:
    session, other = made(1), made(2)
    copied = [{**record, "isSidechain": True} for record in other.records]
    session.records[2:2] = copied
    for _ in range(9):  # it ends later
        session.turn()
    write(root, other)
    write(root, session)
    history = history_of(root)
    assert tasks(history).keys() == {session.truth.id, other.truth.id}
    for task_id in tasks(history):
        assert history.get(task_id)[0].child_ids is None
    path_of(root, other).unlink()
    inside = copied[0]["uuid"]
    assert tasks(history)[inside].parent_id == session.truth.id
    assert history.get(inside)[0].id == inside
    write(root, other)
    assert tasks(history).keys() == {session.truth.id, other.truth.id}


def test_the_subagent_inside_of_a_file_has_messages_and_files_of_its_own(root: Path) -> None:
    session = made(1)
    agent = Session(Random(5), Truth("", model="m", workspace="/w"), session.clock, "/w", sidechain=True)
    agent.prompt()
    agent.answer(tool="toolu_1")
    session.records[2:2] = agent.records
    write(root, session)
    history = history_of(root)
    inside = agent.records[0]["uuid"]
    assert {task.id: task.parent_id for task in tasks(history).values()} == {
        session.truth.id: None,
        inside: session.truth.id,
    }
    shown = history.messages(inside[:12]).messages
    assert [message.kind for message in shown] == ["text", "reasoning", "text", "tool"]
    assert (shown[-1].tool and shown[-1].tool.name, (shown[-1].text or "").endswith("-a\n+b\n+c")) == (
        "Edit",
        True,
    )
    assert history.get(inside)[0].message_count == 2
    (file,) = history.files.files(history.get(inside)[0])
    assert (file.path, file.additions, file.deletions) == ("a.py", 2, 1)
    assert agent.truth.title not in "".join(
        each.text or "" for each in history.messages(session.truth.id).messages
    )


@pytest.mark.parametrize("name", ["", "a\nb", "x" * 10_000, "../../etc"])
def test_the_subagent_inside_of_a_file_can_be_opened_whatever_its_records_are_called(
    root: Path, name: str
) -> None:
    session = made(1)
    record = {**session.records[0], "uuid": name, "parentUuid": None, "isSidechain": True}
    session.records.insert(2, record)
    write(root, session)
    history = history_of(root)
    (inside,) = (task for task in tasks(history).values() if task.id != session.truth.id)
    assert history.get(inside.id)[0] == inside
    assert len(history.messages(inside.id).messages) == 1


@pytest.mark.parametrize(
    ("damage", "codes"),
    [
        (lambda data: data[:-9], []),
        (lambda data: data.replace(b'"type":', b'"type"', 1), ["malformed"]),
        (lambda data: data.replace(b"Hm.", b"\xff\xfe", 1), ["badUtf8"]),
        (lambda data: data + b"\0" * 512 + b"\n", ["padding"]),
        (lambda data: b"\xef\xbb\xbf" + data, ["byteOrderMark"]),
    ],
)
def test_damage_is_reported_and_the_rest_is_read(root: Path, damage: Any, codes: list[str]) -> None:
    session = made(4)
    write(root, session)
    file = path_of(root, session)
    file.write_bytes(damage(json.dumps(session.records[0]).encode() + b"\n" + file.read_bytes()))
    (task,) = tasks(history_of(root)).values()
    assert [problem.code for problem in task.problems] == codes
    assert task.title == session.truth.title and task.token_usage is not None


def test_links_and_other_kinds_of_files_are_not_followed(root: Path, tmp_path: Path) -> None:
    session, outside = made(1), made(2)
    write(root, session)
    write(tmp_path / "other", outside)
    (root / "projects" / "linked").symlink_to(tmp_path / "other" / "projects" / "-w")
    path_of(root, outside).symlink_to(path_of(tmp_path / "other", outside))
    os.mkfifo(path_of(root, made(3)))
    found = tasks(history_of(root))
    assert found[session.truth.id].problems == []
    others = [task for task in found.values() if task.id != session.truth.id]
    assert {problem.code for task in others for problem in task.problems} == {"notRegular"}


def test_a_prompt_with_a_byte_that_is_not_utf_8_is_read(root: Path) -> None:
    session = made()
    write(root, session)
    path = path_of(root, session)
    (before,) = history_of(root).list()
    lines = path.read_bytes().split(b"\n")
    record = {**json.loads(lines[0]), "message": {"role": "user", "content": "Mend the roof"}}
    lines[0] = json.dumps(record).encode().replace(b"roof", b"roof\xff")
    path.write_bytes(b"\n".join(lines))
    (after,) = history_of(root).list()
    assert (after.title, after.message_count) == ("Mend the roof\ufffd", before.message_count)


def test_a_session_is_exported(root: Path) -> None:
    session = made(1)
    write(root, session)
    assert session.truth.title.split()[-1] in export(history_of(root), session.truth.id, "markdown").text


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_damage_leaves_a_row(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    session = made(data.draw(st.integers(0, 5)))
    root = tmp_path_factory.mktemp("claude") / "store"
    write(root, session)
    file = path_of(root, session)
    content = bytearray(file.read_bytes())
    for _ in range(data.draw(st.integers(1, 6))):
        place = data.draw(st.integers(0, len(content) - 1))
        content[place : place + data.draw(st.integers(0, 40))] = data.draw(st.binary(max_size=20))
    file.write_bytes(content)
    history = history_of(root)
    for task in tasks(history).values():
        assert history.get(task.id)[0] == task
        history.messages(task.id)
        history.files.files(task)


def test_times_are_those_of_own_records(root: Path) -> None:
    session = made(1)
    session.records.insert(0, {"type": "queue-operation", "timestamp": iso(START)})
    write(root, session)
    (task,) = tasks(history_of(root)).values()
    assert (task.created_at, task.last_activity) == (START, session.truth.last_activity)


def test_a_session_in_two_project_folders_has_each_message_and_change_once(root: Path) -> None:
    session = made(1)
    edit = {"file_path": "/w/b.py", "old_string": "a", "new_string": "b\nc"}
    use = {"type": "tool_use", "id": "toolu_1", "name": "Edit", "input": edit}
    session.add("assistant", message={"id": "msg_1", "role": "assistant", "content": [use]})
    session.result("toolu_1")
    write(root, session)
    once = history_of(root)
    messages, files = once.messages(session.truth.id, limit=999).messages, _changed(once, session)
    assert messages and files
    copy = root / "projects" / "-renamed" / f"{session.truth.id}.jsonl"
    append(copy, session.records)
    known = len(session.records)
    session.turn()
    append(copy, session.records[known:])
    later = history_of(root)
    found = later.messages(session.truth.id, limit=999).messages
    assert found[: len(messages)] == messages
    typed = [message.text for message in found if (message.role, message.kind) == ("user", "text")]
    assert len(typed) == len(set(typed)) == 2
    assert _changed(later, session)["b.py"] == files["b.py"]


def _changed(history: TaskHistory, session: Session) -> dict[str, tuple[int | None, int | None]]:
    [root] = history.roots
    files = history.store(root.path).touched_files(session.truth.id)
    return {file.path: (file.additions, file.deletions) for file in files}


@pytest.mark.parametrize("bad", [-100, 10**30, 1.5, "100", True, None, [1]])
def test_a_number_that_no_answer_can_have_is_unknown(root: Path, bad: object) -> None:
    names = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    used: list[dict[str, Any]] = [dict.fromkeys(names, 7), dict.fromkeys(names, 7.0)]
    used.append({**used[0], names[0]: bad})
    usage = _usage_of(root, used, [0.5, 1, bad])
    assert usage is not None
    assert (usage.total, usage.input, usage.output) == (35, 14, 21)
    assert (usage.cache_reads, usage.cache_writes) == (21, 21)
    assert usage.cost == (3.0 if bad == 1.5 else None)
    alone = _usage_of(root, [{"input_tokens": bad, "output_tokens": 3}], [None])
    assert alone is not None
    assert (alone.total, alone.input, alone.output, alone.cache_reads) == (None, None, 3, None)
    assert _usage_of(root, [dict.fromkeys(names, bad)], [None]) is None


def _usage_of(root: Path, used: Sequence[dict[str, Any]], costs: Sequence[object]) -> TokenUsage | None:
    """Write a session whose answers used this much, and return what its row shows."""
    session = made(len(used))
    session.records.clear()
    session.prompt()
    for number, (usage, cost) in enumerate(zip(used, costs, strict=True)):
        message = {"id": f"msg_{number}", "model": "m", "content": [], "usage": usage}
        session.add("assistant", message=message, costUSD=cost)
    path_of(root, session).unlink(missing_ok=True)
    write(root, session)
    return tasks(history_of(root))[session.truth.id].token_usage
