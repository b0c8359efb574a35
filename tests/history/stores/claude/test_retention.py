"""The doctor announces the sessions that Claude Code will delete."""

import os
from pathlib import Path

import pytest

from sidecar.api.stored.stats import StatsParams
from sidecar.corpus.agents.claude import generate
from sidecar.history import TaskHistory, insight
from sidecar.history.doctor import examine
from sidecar.history.stores.status_by_age import DAY_MS
from tests.history.conftest import NOW


def findings(root: Path) -> list[str]:
    result = examine(TaskHistory([root], now=lambda: NOW), NOW)
    return [each.message for each in result.findings if each.code == "dueDeletion"]


def age(root: Path, days: float) -> int:
    """Set the age of all sessions, and return how many main sessions there are."""
    files = list(root.glob("projects/*/*.jsonl"))
    for file in [*files, *root.glob("projects/*/*/subagents/*.jsonl")]:
        os.utime(file, ((NOW - days * DAY_MS) / 1000,) * 2)
    return sum(file.stat().st_size > 200 and not file.name.startswith("notes") for file in files)


@pytest.mark.parametrize(
    ("settings", "days", "announced"),
    [
        ("{}", 26.9, None),
        ("{}", 27.1, "from 2026-04-1"),
        ("{}", 40, "at the next start"),
        ('{"cleanupPeriodDays": 99999}', 40, None),
        ('{"cleanupPeriodDays": 7}', 5, "from 2026-04-1"),
        ("{", 28, "from 2026-04-1"),
        ('{"\\ud83d": 1}', 28, "from 2026-04-1"),
        ('{"cleanupPeriodDays": 1e308}', 40, None),
        ('{"cleanupPeriodDays": 1e400}', 40, None),
        (f'{{"cleanupPeriodDays": {10**400}}}', 40, None),
        ('{"cleanupPeriodDays": -1e308}', 28, "from 2026-04-1"),
        ('{"cleanupPeriodDays": true}', 28, "from 2026-04-1"),
        ('\ufeff{"cleanupPeriodDays": 7}', 5, "from 2026-04-1"),
        ('{"model": "\\ud83d", "cleanupPeriodDays": 99999}', 40, None),
    ],
)
def test_sessions_are_announced_three_days_before(
    tmp_path: Path, settings: str, days: float, announced: str | None
) -> None:
    generate(tmp_path, 3)
    (tmp_path / "settings.json").write_text(settings, encoding="utf-8")
    sessions = age(tmp_path, days)
    found = findings(tmp_path)
    assert len(found) == (announced is not None)
    if announced is not None:
        assert found[0].startswith(f"{sessions} sessions will be deleted within 3 days, {announced}")


def test_linked_settings_are_read_and_left_alone(tmp_path: Path) -> None:
    root, dotfiles = tmp_path / "claude", tmp_path / "dotfiles" / "settings.json"
    root.mkdir()
    generate(root, 3)
    dotfiles.parent.mkdir()
    dotfiles.write_text('{"cleanupPeriodDays": 99999}')
    (root / "settings.json").unlink()
    (root / "settings.json").symlink_to(dotfiles)
    age(root, 40)
    before = dotfiles.stat()
    assert findings(root) == []
    after = dotfiles.stat()
    assert (before.st_mtime_ns, before.st_ctime_ns) == (after.st_mtime_ns, after.st_ctime_ns)
    dotfiles.write_text('{"cleanupPeriodDays": 0}')
    assert "deletes a session 0 days after" in findings(root)[0]


def test_settings_that_cannot_be_read_count_as_the_default(tmp_path: Path) -> None:
    generate(tmp_path, 3)
    settings = tmp_path / "settings.json"
    age(tmp_path, 40)
    settings.unlink()
    os.mkfifo(settings)
    assert "deletes a session 30 days after" in findings(tmp_path)[0]
    settings.unlink()
    settings.symlink_to(settings)
    assert "deletes a session 30 days after" in findings(tmp_path)[0]


def test_totals_say_how_many_are_due_and_of_which_product(tmp_path: Path) -> None:
    generate(tmp_path, 3)
    sessions = age(tmp_path, 29)
    history = TaskHistory([tmp_path], now=lambda: NOW)
    due = insight.stats(history, StatsParams(query="title:nothing"), "structural").due_deletion
    assert due is not None
    assert (due.tasks, due.within_days, due.products) == (sessions, 3, ["claude"])
    assert abs(due.first_at - NOW - DAY_MS) < 1_000


def test_totals_say_nothing_where_nothing_is_due(tmp_path: Path) -> None:
    generate(tmp_path, 3)
    age(tmp_path, 5)
    history = TaskHistory([tmp_path], now=lambda: NOW)
    assert insight.stats(history, StatsParams(), "structural").due_deletion is None


def test_sessions_without_a_message_are_counted(tmp_path: Path) -> None:
    generate(tmp_path, 3)
    (root,) = examine(TaskHistory([tmp_path], now=lambda: NOW), NOW).roots
    assert root.empty_folders == 3


@pytest.mark.parametrize(
    ("days", "expected"), [("1", "1 day"), ("0.5", "0.5 days"), ("0", "0 days"), ("30", "30 days")]
)
def test_the_period_is_shown_as_in_the_settings(tmp_path: Path, days: str, expected: str) -> None:
    generate(tmp_path, 3)
    (tmp_path / "settings.json").write_text(f'{{"cleanupPeriodDays": {days}}}')
    age(tmp_path, 40)
    assert findings(tmp_path)[0].endswith(f"the product deletes a session {expected} after its last change")


@pytest.mark.parametrize("entrypoint", ["claude-desktop", "local-agent", "cli"])
@pytest.mark.parametrize("place", ["first", "last"])
def test_sessions_of_the_desktop_are_not_announced(tmp_path: Path, entrypoint: str, place: str) -> None:
    generate(tmp_path, 3)
    for file in tmp_path.rglob("*.jsonl"):
        lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
        lines.insert(
            0 if place == "first" else len(lines), f'{{"type":"mode","entrypoint":"{entrypoint}"}}\n'
        )
        file.write_text("".join(lines), encoding="utf-8")
    sessions = age(tmp_path, 40)
    announced = f"{sessions} sessions will be deleted"
    assert [each.startswith(announced) for each in findings(tmp_path)] == [True] * (entrypoint == "cli")
    (tmp_path / "settings.json").write_text('{"desktopSessionCleanupPeriodDays": 30}')
    assert findings(tmp_path)[0].startswith(announced)
    (tmp_path / "settings.json").write_text("{}")
    for file in [*tmp_path.rglob("*.jsonl")]:
        file.with_suffix(".desktop-released.json").write_text('{"reason": "delete"}')
    assert findings(tmp_path)[0].startswith(announced)
