from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.api.runs.async_tasks import Changes
from sidecar.changes import fold as fold_module
from sidecar.changes.file_change import FileChange
from sidecar.changes.fold import ChangesFold

Event = dict[str, Any]


def diff(path: str, old: str | None, new: str | None) -> Event:
    texts = {"oldText": old, "newText": new}
    return {"type": "diff", "path": path, **{key: text for key, text in texts.items() if text is not None}}


def tool(status: str, *content: Event, call: str | None = "1", **more: object) -> Event:
    event = {"type": "tool", "name": "edit", "status": status, "ts": 5, **more}
    return event | ({"content": [*content]} if content else {}) | ({"toolCallId": call} if call else {})


def folded(*events: Event) -> ChangesFold:
    fold = ChangesFold("/ws")
    for event in events:
        fold.take(event)
    return fold


def counts(*events: Event) -> dict[str, tuple[list[str], int | None, int | None]]:
    files = folded(*events).files()
    return {file.path: (sorted(file.actions), file.additions, file.deletions) for file in files}


EDIT = diff("/ws/src/a.py", "a\nb\n", "a\nc\nd\n")


def test_a_completed_edit_counts() -> None:
    fold = folded(tool("started", EDIT), tool("completed"))
    assert fold.files() == (FileChange("src/a.py", frozenset({"edited"}), 2, 1, 5),)
    assert fold.result() == Changes(files=1, additions=2, deletions=1)


@pytest.mark.parametrize("status", ["started", "failed"])
def test_a_call_that_did_not_complete_changes_nothing(status: str) -> None:
    assert folded(tool("started", EDIT), tool(status, EDIT)).result() is None


def test_a_new_file_counts_all_its_lines() -> None:
    assert counts(tool("completed", diff("new.py", None, "1\n2\n3"))) == {"new.py": (["created"], 3, 0)}


def test_edits_of_one_file_add_up_for_any_spelling_of_its_path() -> None:
    again = diff("./src/a.py", "a\nc\nd\n", "a\n")
    found = counts(tool("completed", EDIT), tool("completed", again, call="2"))
    assert found == {"src/a.py": (["edited"], 2, 3)}


def test_several_diffs_of_one_call_add_up() -> None:
    call = tool("completed", EDIT, diff("b", "x", ""), EDIT, {"type": "text", "text": "done"})
    assert counts(call) == {"src/a.py": (["edited"], 4, 2), "b": (["edited"], 0, 1)}


def test_a_diff_that_is_reported_twice_counts_once() -> None:
    assert counts(tool("started", EDIT), tool("completed", EDIT), tool("completed", EDIT)) == counts(
        tool("completed", EDIT)
    )


def test_the_latest_diff_of_a_call_counts_and_a_text_does_not_replace_it() -> None:
    text = {"type": "text", "text": "The file was updated."}
    asked = tool("started", diff("a", "1", "2\n3\n4"))
    assert counts(asked, tool("completed", text)) == {"a": (["edited"], 3, 1)}
    assert counts(asked, tool("completed", diff("b", "1", "2"))) == {"b": (["edited"], 1, 1)}
    assert counts(asked, tool("completed"), tool("completed", diff("b", "1", "2"))) == {
        "b": (["edited"], 1, 1)
    }


def test_a_completed_call_that_is_later_reported_as_failed_does_not_count() -> None:
    other = tool("completed", diff("kept", None, "1"), call="2")
    assert counts(other, tool("completed", EDIT), tool("failed")) == {"kept": (["created"], 1, 0)}


def test_a_call_that_starts_after_its_end_is_another_one() -> None:
    both = (tool("started", EDIT), tool("completed"))
    assert counts(*both, *both) == {"src/a.py": (["edited"], 4, 2)}
    assert counts(*both, tool("started"), tool("completed")) == {"src/a.py": (["edited"], 2, 1)}


def test_calls_without_an_id_are_separate() -> None:
    call = tool("completed", EDIT, call=None)
    assert counts(call, call) == {"src/a.py": (["edited"], 4, 2)}
    assert counts(tool("started", EDIT, call=None), tool("completed", call=None)) == {
        "src/a.py": (["edited"], 2, 1)
    }


PLACES = [{"path": "/ws/a"}, {"path": "/ws/b", "line": 3}, {"line": 1}, "x"]


@pytest.mark.parametrize(
    ("kind", "action"), [("delete", "deleted"), ("move", "edited"), ("edit", "edited"), ("read", None)]
)
def test_the_kind_of_a_call_without_a_diff_determines_its_action(kind: str, action: str | None) -> None:
    found = counts(tool("started", kind=kind, locations=PLACES), tool("completed"))
    assert found == ({path: ([action], None, None) for path in "ab"} if action else {})


def test_reading_and_searching_change_nothing() -> None:
    calls = [
        tool("completed", call=kind, kind=kind, locations=PLACES) for kind in ("read", "search", "fetch")
    ]
    assert folded(*calls).result() is None


def test_a_deleted_file_counts_the_lines_of_its_diff() -> None:
    call = tool("completed", diff("a", "1\n2\n", ""), kind="delete", locations=PLACES)
    assert counts(call) == {"a": (["deleted"], 0, 2), "b": (["deleted"], None, None)}


def test_an_edit_with_a_diff_changes_no_other_location() -> None:
    assert list(counts(tool("completed", EDIT, kind="edit", locations=PLACES))) == ["src/a.py"]


@pytest.mark.parametrize("text", ["\0PNG\n", "x" * 100 + "\n[cut: 1,234 more characters]"])
def test_the_lines_of_binary_or_cut_texts_are_unknown(text: str) -> None:
    fold = folded(tool("completed", diff("a", "1", text)), tool("completed", diff("b", text, "1"), call="2"))
    assert [(file.additions, file.deletions) for file in fold.files()] == [(None, None)] * 2
    assert fold.result() == Changes(files=2, additions=0, deletions=0)


def test_known_lines_stay_known_when_others_are_unknown() -> None:
    found = counts(tool("completed", EDIT), tool("completed", diff("src/a.py", "", "\0"), call="2"))
    assert found == {"src/a.py": (["edited"], 2, 1)}


def test_taking_an_event_returns_whether_the_result_changed() -> None:
    fold = ChangesFold("/ws")
    events = [tool("started", EDIT), tool("completed"), tool("completed"), {"type": "message", "text": "x"}]
    assert [fold.take(event) for event in events] == [False, True, False, False]


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fold_module, "MAX_CALLS", 3)
    monkeypatch.setattr(fold_module, "MAX_FILES", 4)
    fold = folded(*(tool("completed", diff(str(n), None, "1"), call=str(n)) for n in range(9)))
    assert len(fold._calls) == 3 and len(fold._final) <= 4
    assert fold.result() == Changes(files=4, additions=4, deletions=0)


def test_an_open_call_outlives_ended_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fold_module, "MAX_CALLS", 2)
    ended = [tool("completed", diff(str(n), None, "1"), call=str(n)) for n in range(5)]
    assert "src/a.py" in counts(tool("started", EDIT, call="long"), *ended, tool("completed", call="long"))


STATUS = st.sampled_from(["started", "completed", "failed"])
CONTENT = st.lists(
    st.builds(
        diff, st.sampled_from("abc"), st.none() | st.text("x\n", max_size=4), st.text("x\ny", max_size=4)
    ),
    max_size=2,
)
EVENT = st.builds(
    lambda status, content, call, kind: tool(status, *content, call=call, kind=kind, locations=PLACES),
    STATUS,
    CONTENT,
    st.sampled_from(["1", "2", "3", "4", None]),
    st.sampled_from(["edit", "delete", "move", "read", None]),
)


@given(st.lists(EVENT, max_size=20))
def test_the_running_result_equals_the_result_counted_at_the_end(events: list[Event]) -> None:
    fold = folded(*events)
    assert {file.path: file for file in fold.files()} == fold._counted()
    result = fold.result()
    assert (result.files if result else 0) == len(fold.files())


@given(st.lists(EVENT, max_size=20))
def test_the_number_of_calls_kept_does_not_change_sums_of_calls_that_end_once(events: list[Event]) -> None:
    once = [{**event, "toolCallId": str(n)} for n, event in enumerate(events)]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(fold_module, "MAX_CALLS", 1)
        narrow = folded(*once)
    assert set(narrow.files()) == set(folded(*once).files())


JSON = st.recursive(
    st.none() | st.integers() | st.floats() | st.text("ab", max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "path", "oldText", "newText", "status", "kind", "locations", "content"]),
            inner | st.sampled_from(["tool", "diff", "delete", "completed"]),
            max_size=6,
        )
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from([*tool("started", EDIT), "kind", "locations"]), JSON))
def test_invalid_members_change_nothing_and_raise_nothing(members: Event) -> None:
    fold = folded({**members, "type": "tool"})
    assert all(file.path for file in fold.files())
