"""The guide's rules next to the structural ones, and what plain data falls back to."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sidecar.api.stored.tasks import Rules
from sidecar.history import TaskHistory
from sidecar.history.stores.task_folders import shared
from sidecar.history.stores.task_folders.structural import extract as structural
from tests.generator import write_hostile
from tests.history.conftest import HOUR, NOW, TASK_ID, Store

Make = Callable[..., dict[str, Any]]


def plain(text: str, **more: object) -> dict[str, object]:
    return {"role": "user", "content": text, "ts": NOW - HOUR, **more}


def test_plain_data_falls_back_to_the_guide(store: Store) -> None:
    words = "<task>Fix it</task> <slug>code</slug> <name>Code</name> Current Workspace Directory (/w) Files"
    store.write(
        ui=[{"ts": NOW - HOUR, "text": "hello"}], api=[plain(words), plain("attempt_completion", ts=NOW - 5)]
    )
    task, provenance = store.history.get(TASK_ID)
    assert (task.title, task.status, task.outcome) == ("Fix it", "completed", "completed")
    assert (task.mode.current, task.mode.name, task.workspace_dir) == ("code", "Code", "/w")
    assert (task.created_at, task.last_activity, task.duration) == (NOW - HOUR, NOW - 5, HOUR - 5)
    assert provenance["title"].source == "guide"


def test_the_guides_usage_counts_on_plain_data(store: Store) -> None:
    store.write(ui=[{"ts": NOW}], api=[plain('"tokensIn":5,"tokensOut":6,"cost":0.5')])
    usage = store.task().token_usage
    assert usage is not None and (usage.total, usage.cost) == (11, 0.5)


def test_the_guides_defaults_stay_unknown(store: Store) -> None:
    store.write(ui=[{"text": "no time"}], api=[{"role": "user", "content": "hello"}])
    task = store.task()
    assert (task.created_at, task.last_activity, task.duration, task.token_usage) == (None, None, None, None)
    assert (task.status, task.outcome) == ("unknown", "unknown")


def test_a_time_that_happens_to_be_now_is_known(store: Store) -> None:
    store.write(ui=[{"ts": NOW}], api=[plain("hello", ts=NOW)])
    assert (store.task().created_at, store.task().duration) == (NOW, 0)


def test_a_plain_title_is_whole(store: Store) -> None:
    store.write(ui=[{"ts": NOW}], api=[plain("<task>" + "long words " * 20 + "</task>")])
    assert store.task().title == " ".join(["long words"] * 20)


def test_one_word_of_structure_ends_the_fall_back(store: Store, say: Make) -> None:
    store.write(ui=[say("text", "x")], api=[plain("attempt_completion failed")])
    assert store.task().status == "active"


def test_the_guide_needs_both_files(store: Store, say: Make) -> None:
    store.write(ui=[say("text", "x")])
    assert store.history.list(rules="guide") == []
    assert len(store.history.list()) == 1


def test_the_guide_knows_no_epoch_ids(store: Store, say: Make) -> None:
    store.write(ui=[say("text", "x")], api=[plain("x")], task_id="1770000000000")
    assert store.history.list(rules="guide") == []


def test_the_guides_defaults_are_the_time_of_asking(store: Store) -> None:
    store.write(ui=[{"type": "say"}], api=[plain("x", ts=0)])
    for now in (NOW, NOW + 5):
        store.now = now
        (task,) = store.history.list(rules="guide")
        assert (task.created_at, task.last_activity, task.status) == (now, now, "active")


def test_an_invalid_date_is_not_a_number(store: Store) -> None:
    store.write(ui=[{"ts": "soon"}], api=[plain("x")])
    (task,) = store.history.list(rules="guide")
    assert isinstance(task.created_at, float) and math.isnan(task.created_at)


def test_the_guides_cut_may_leave_half_a_character(store: Store) -> None:
    store.write(ui=[{"ts": NOW}], api=[plain("x" * 96 + "🚀" * 9)])
    (task,) = store.history.list(rules="guide")
    assert task.title == "x" * 96 + "\ud83d..."


@pytest.mark.usefixtures("long_after")
def test_the_guide_does_not_read_leftovers(store: Store) -> None:
    folder = store.write(api=[plain("x")])
    (folder / ".ui_messages.json.bak_1_a.tmp").write_bytes(b'[{"ts":1}]')
    assert store.history.list(rules="guide") == []
    assert store.task().problems[0].code == "recovered"


def test_a_task_that_defeats_the_rules_is_listed(
    store: Store, say: Make, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(structural, "extract", fail)
    store.write(ui=[say("text", "x")], api=[])
    assert [problem.code for problem in store.task().problems] == ["internal"]
    assert TASK_ID in caplog.text


def test_too_deep_for_the_guide_is_dropped(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RecursionError

    monkeypatch.setattr(shared, "extract_from", fail)
    store.write(ui=[{"ts": NOW}], api=[plain("x")])
    assert store.history.list(rules="guide") == []
    assert store.task().title == "x"


@pytest.mark.slow
def test_both_rule_sets_agree_on_what_the_guide_does_not_define(tmp_path: Path) -> None:
    write_hostile(tmp_path)
    history = TaskHistory([tmp_path], now=lambda: NOW)
    structural_rows = {task.id: task for task in history.list()}
    listed = history.list(rules="guide")
    assert len(listed) > 20
    for task in listed:
        other = structural_rows[task.id]
        assert (task.product, task.model, task.ui_message_count) == (
            other.product,
            other.model,
            other.ui_message_count,
        )
        assert (task.size_bytes, task.problems, task.parent_id) == (
            other.size_bytes,
            other.problems,
            other.parent_id,
        )


@pytest.mark.parametrize("rules", ["structural", "guide"])
def test_a_writer_may_escape_angle_brackets(store: Store, say: Make, rules: Rules) -> None:
    text = "<environment_details>\n# Current Mode\n<model>gpt-5</model>\n</environment_details>"
    message = {"role": "user", "content": [{"type": "text", "text": text}]}
    folder = store.write(ui=[say("text", "x")], api=[message])
    file = folder / "api_conversation_history.json"
    file.write_text(file.read_text().replace("<", r"\u003c").replace(">", r"\u003e"))
    (task,) = store.history.list(rules=rules)
    assert task.model == "gpt-5"
