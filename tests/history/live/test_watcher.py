import inspect
import os
import platform
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from watchfiles._rust_notify import RustNotify

from sidecar.history.live import watcher
from sidecar.history.live.watcher import ChangesLost, Watch, WatchUnavailable, must_poll, open_watch

WAIT_SECONDS = 20.0
FORCE = "WATCHFILES_FORCE_POLLING"
DELAY = "WATCHFILES_POLL_DELAY_MS"


def opened(*folders: Path, stop: threading.Event | None = None) -> AbstractContextManager[Watch]:
    return open_watch([str(folder) for folder in folders], stop or threading.Event())


def changes_until(watch: Watch, wanted: Path) -> set[str]:
    """Return the reported paths up to and including the wanted one."""
    reported: set[str] = set()
    while new := watch.wait(WAIT_SECONDS):
        reported |= new
        if str(wanted) in reported:
            return reported
    raise AssertionError(f"timed out waiting for {wanted}: {reported}")


class Core:
    """Replaces watchfiles' core: returns prepared answers and records how it was made and called."""

    def __init__(self, *answers: object) -> None:
        self.answers = [*answers]
        self.made: list[tuple[object, ...]] = []
        self.steps: list[int] = []

    def __call__(self, *arguments: object) -> "Core":
        self.made.append(arguments)
        return self

    def __enter__(self) -> "Core":
        return self

    def __exit__(self, *_: object) -> None:
        self.answers.clear()

    def watch(self, debounce_ms: int, step_ms: int, timeout_ms: int, stop: threading.Event) -> object:
        self.steps.append(step_ms)
        return self.answers.pop(0)


@pytest.fixture
def with_core(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Core]:
    def replace(*answers: object) -> Core:
        core = Core(*answers)
        monkeypatch.setattr("watchfiles._rust_notify.RustNotify", core)
        return core

    return replace


def create(path: Path) -> None:
    path.with_name("made.json").touch()


def overwrite(path: Path) -> None:
    path.write_text("new")


def rename_in(path: Path) -> None:
    new = path.with_name("new.tmp")
    new.write_text("new")
    os.replace(new, path)


def rename_away(path: Path) -> None:
    os.replace(path, path.parent.parent / "away.json")


def date_back(path: Path) -> None:
    os.utime(path, (1, 1))


def change_mode(path: Path) -> None:
    path.chmod(0o600)


@pytest.mark.parametrize(
    ("change", "name"),
    [
        (create, "made.json"),
        (overwrite, "ö.json"),
        (rename_in, "ö.json"),
        (rename_away, "ö.json"),
        (Path.unlink, "ö.json"),
        (date_back, "ö.json"),
        (change_mode, "ö.json"),
    ],
)
def test_a_change_in_a_folder_is_announced(tmp_path: Path, change: Callable[[Path], None], name: str) -> None:
    folder = tmp_path / "watched"
    folder.mkdir()
    file = folder / "ö.json"
    file.write_text("old")
    with opened(folder) as watch:
        change(file)
        changes_until(watch, folder / name)


def test_what_is_in_a_folders_folders_is_not_announced(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    with opened(tmp_path) as watch:
        (tmp_path / "inner" / "other.json").touch()
        (tmp_path / "reported.json").touch()
        reported = changes_until(watch, tmp_path / "reported.json")
    assert str(tmp_path / "inner" / "other.json") not in reported


def test_each_folder_is_named_by_its_own_path(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("one", "other")]
    for folder in folders:
        folder.mkdir()
    with opened(*folders) as watch:
        for folder in folders:
            (folder / "file.json").touch()
            changes_until(watch, folder / "file.json")


def test_a_missing_folder_is_reported(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), opened(tmp_path, tmp_path / "gone"):
        pass


def test_watches_outlive_a_folder_that_is_removed(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    with opened(tmp_path, tmp_path / "inner") as watch:
        (tmp_path / "inner").rmdir()
        changes_until(watch, tmp_path / "inner")
        (tmp_path / "later.json").touch()
        changes_until(watch, tmp_path / "later.json")


def test_a_wait_ends_after_its_time_or_on_stop(tmp_path: Path) -> None:
    stop = threading.Event()
    with opened(tmp_path, stop=stop) as watch:
        assert watch.wait(0) == set()
        stop.set()
        assert watch.wait(3600) == set()


def test_an_undecodable_name_loses_changes_until_watches_are_opened_again(tmp_path: Path) -> None:
    with opened(tmp_path) as watch:
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff")).touch()
        for _ in range(2):
            with pytest.raises(ChangesLost, match="decode"):
                watch.wait(WAIT_SECONDS)
    with opened(tmp_path) as watch:
        (tmp_path / "later.json").touch()
        changes_until(watch, tmp_path / "later.json")


def test_files_that_give_no_notice_are_polled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FORCE, "1")
    monkeypatch.setenv(DELAY, "10")
    with opened(tmp_path) as watch:
        (tmp_path / "made.json").touch()
        changes_until(watch, tmp_path / "made.json")


@pytest.mark.parametrize(
    ("wanted", "release", "polls"),
    [
        ("1", "6.1", True),
        ("false", "5.15.1-microsoft-standard-WSL2", False),
        ("disabled", "6.1", False),
        ("", "5.15.1-Microsoft-standard-WSL2", True),
        (None, "6.1", False),
    ],
)
def test_polling_is_chosen_as_by_watchfiles(
    monkeypatch: pytest.MonkeyPatch, wanted: str | None, release: str, polls: bool
) -> None:
    monkeypatch.setattr(platform, "release", lambda: release)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.delenv(FORCE, raising=False)
    if wanted is not None:
        monkeypatch.setenv(FORCE, wanted)
    assert must_poll() == polls


@pytest.mark.parametrize(
    ("wanted", "folders", "pause"), [("", 1, 300), ("", 4_000, 4_000), ("50", 4_000, 50), ("x", 500, 500)]
)
def test_many_folders_are_polled_more_rarely(
    monkeypatch: pytest.MonkeyPatch, with_core: Callable[..., Core], wanted: str, folders: int, pause: int
) -> None:
    monkeypatch.setenv(FORCE, "1")
    monkeypatch.setenv(DELAY, wanted)
    core = with_core()
    names = [str(number) for number in range(folders)]
    with open_watch(names, threading.Event()):
        assert core.made == [(names, False, True, pause, False, False)]


def test_waiting_is_short_after_a_change_and_long_when_it_is_quiet(
    monkeypatch: pytest.MonkeyPatch, with_core: Callable[..., Core]
) -> None:
    clock = [1000.0]
    monkeypatch.setattr("time.monotonic", lambda: clock[0])
    core = with_core("timeout", {(2, "a")}, "timeout", {(2, "b")}, "timeout", "timeout")
    with open_watch(["folder"], threading.Event()) as watch:
        for seconds, reported in (
            (0, set()),
            (0, {"a"}),
            (0, set()),
            (2.9, {"b"}),
            (2.9, set()),
            (0.2, set()),
        ):
            clock[0] += seconds
            assert watch.wait(1) == reported
    assert core.steps == [watcher.QUIET_STEP_MS] * 2 + [watcher.BUSY_STEP_MS] * 3 + [watcher.QUIET_STEP_MS]


@pytest.mark.parametrize(
    "refusal", [OSError("OS file watch limit reached"), RuntimeError("limit"), PermissionError("limit")]
)
def test_a_refusal_of_the_platform_becomes_an_error_of_the_sidecar(
    monkeypatch: pytest.MonkeyPatch, refusal: Exception
) -> None:
    def refuse(*_: object) -> None:
        raise refusal

    monkeypatch.setattr("watchfiles._rust_notify.RustNotify", refuse)
    with pytest.raises(WatchUnavailable, match="limit"), open_watch(["folder"], threading.Event()):
        pass


def test_the_core_of_watchfiles_has_the_shape_that_is_used() -> None:
    """It is half private: an update of watchfiles that changes it fails here first."""
    made, called = inspect.signature(RustNotify), inspect.signature(RustNotify.watch)
    assert [*made.parameters] == [
        "watch_paths",
        "debug",
        "force_polling",
        "poll_delay_ms",
        "recursive",
        "ignore_permission_denied",
    ]
    assert [*called.parameters] == ["self", "debounce_ms", "step_ms", "timeout_ms", "stop_event"]
