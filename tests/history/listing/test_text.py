import math
import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.api.stored.tasks import Mode, TaskInfo, TokenUsage
from sidecar.history.listing.text import format_tasks, matches_filter

NOON = 1_776_254_400_000


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def task(**values: Any) -> TaskInfo:
    usual: dict[str, Any] = {
        "id": "0190a0b0",
        "title": "Fix it",
        "status": "completed",
        "mode": Mode(),
        "outcome": "unknown",
        "root": "/r",
        "product": "roo",
        "size_bytes": 0,
        "problems": [],
    }
    return TaskInfo(**(usual | values))


FULL = task(
    created_at=NOON,
    duration=7_200_000,
    mode=Mode(current="code", name="Code"),
    token_usage=TokenUsage(total=1_234_567, cost=1.5),
    message_count=12,
    workspace_dir="/home/me",
)


@pytest.mark.parametrize("rules", ["guide", "structural"])
def test_a_known_task_reads_alike_under_both_rules(rules: Any) -> None:
    assert format_tasks([FULL], "fix", rules) == (
        "Available Tasks:\n\nTotal: 1 tasks (1 completed)\n"
        'Showing tasks matching filter "fix"\n\n'
        "### Task: Fix it (0190a0b0)\n- **Created**: 04/15/2026, 12:00:00 PM\n- **Status**: Completed\n"
        "- **Mode**: Code (code)\n- **Duration**: 2 hours\n- **Messages**: 12 messages\n"
        "- **Tokens**: 1,234,567 tokens ($1.50)\n- **Workspace**: /home/me\n\n"
    )


def test_structural_leaves_out_what_is_not_known() -> None:
    assert format_tasks([task()], None, "structural") == (
        "Available Tasks:\n\nTotal: 1 tasks (1 completed)\n\n"
        "### Task: Fix it (0190a0b0)\n- **Status**: Completed\n\n"
    )


def test_guide_prints_its_defaults_and_invalid_dates() -> None:
    text = format_tasks([task(created_at=math.nan, message_count=0, duration=math.nan)], None, "guide")
    assert text.endswith(
        "- **Created**: Invalid Date\n- **Status**: Completed\n- **Messages**: 0 messages\n\n"
    )


@pytest.mark.parametrize("rules", ["guide", "structural"])
def test_no_tasks_are_reported_in_a_sentence(rules: Any) -> None:
    assert format_tasks([], None, rules) == "No tasks found in storage"
    assert format_tasks([], "", rules) == "No tasks found in storage"
    assert format_tasks([], "x", rules) == 'No tasks found matching filter "x"'


def test_statuses_are_counted_in_the_order_they_come() -> None:
    tasks = [task(status="failed"), task(status="active"), task(status="failed")]
    assert "Total: 3 tasks (2 failed, 1 active)\n" in format_tasks(tasks, None, "guide")


def test_counts_of_all_matching_tasks_head_a_page() -> None:
    text = format_tasks([task()], None, "structural", {"completed": 7, "failed": 0, "active": 1})
    assert "Total: 8 tasks (7 completed, 1 active)\n" in text


@pytest.mark.parametrize(
    ("ms", "shown"),
    [
        (999, "0 second"),
        (1000, "1 second"),
        (59_999, "59 seconds"),
        (60_000, "1 minute"),
        (3_600_000, "1 hour"),
        (172_800_000, "2 days"),
        (-5000, "-5 second"),
    ],
)
def test_a_span_is_given_in_its_largest_unit(ms: int, shown: str) -> None:
    assert f"- **Duration**: {shown}\n" in format_tasks([task(duration=ms)], None, "guide")


def test_a_structural_title_is_cut_on_characters() -> None:
    text = format_tasks([task(title="😀" * 101)], None, "structural")
    assert f"### Task: {'😀' * 97}... (" in text


def test_a_guide_title_shows_half_a_pair_as_node_writes_it() -> None:
    assert "### Task: x\ufffd... (" in format_tasks([task(title="x\ud83d...")], None, "guide")


@settings(max_examples=150, deadline=None)
@given(
    st.text(
        alphabet=st.characters() | st.sampled_from("\n\r\u2028\u2029\u202e\u2066\x1b\x00#-*"), max_size=150
    )
)
def test_no_value_forges_a_row(text: str) -> None:
    forged = task(id=text, title=text, mode=Mode(current=text or "m"), workspace_dir=text or "w")
    lines = format_tasks([forged], text, "structural").splitlines()
    assert sum(line.startswith("### Task: ") for line in lines) == 1
    assert len(lines) - ("Showing" in lines[3]) <= 9


def test_a_structural_text_can_be_written_as_utf_8() -> None:
    text = format_tasks([task(title="a\ud83d\u202eb\x1b[31m")], "\ud83d", "structural")
    assert "a\ufffd\ufffdb\ufffd[31m" in text.encode().decode()


@pytest.mark.parametrize("wanted", ["0190A", "FIX", "code", "comPLETED", "\u212aelvin"])
def test_both_rules_search_id_title_mode_and_status(wanted: str) -> None:
    found = task(title="Fix kelvin", mode=Mode(current="code"))
    assert matches_filter(found, wanted, "guide") and matches_filter(found, wanted, "structural")


def test_only_structural_searches_the_workspace() -> None:
    assert matches_filter(FULL, "/HOME", "structural") and not matches_filter(FULL, "/HOME", "guide")


def test_an_empty_filter_keeps_everything_and_a_strange_one_nothing() -> None:
    assert matches_filter(task(), "", "guide") and not matches_filter(FULL, "no such", "structural")


def test_a_structural_text_bounds_modes_as_it_bounds_titles() -> None:
    long = "x" * 10_000
    text = format_tasks([task(title=long, mode=Mode(current=long, name=long))], None, "structural")
    assert text.count("x") == 3 * 97
