import os
import resource
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from sidecar.history.inotify import Inotify
from sidecar.history.watch_source import (
    TICK_MS,
    NewsLost,
    Watch,
    WatchUnavailable,
    open_inotify,
    open_watch,
    open_watchfiles,
)

Open = Callable[[Sequence[str]], AbstractContextManager[Watch]]
WAIT_TICKS = 200
AWAKE_MS_PER_SECOND = 5


def by_watchfiles(folders: Sequence[str]) -> AbstractContextManager[Watch]:
    return open_watchfiles(folders, threading.Event())


by_every_means = pytest.mark.parametrize("opened", [open_inotify, by_watchfiles])


def news(watch: Watch, wanted: Path) -> set[str]:
    """What is told up to the news of a path."""
    told: set[str] = set()
    for _ in range(WAIT_TICKS):
        told |= watch.wait()
        if str(wanted) in told:
            return told
    raise AssertionError(f"waited in vain for {wanted}: {told}")


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


@by_every_means
@pytest.mark.parametrize(
    ("change", "name"),
    [
        (create, "made.json"),
        (overwrite, "ö.json"),
        (rename_in, "ö.json"),
        (rename_away, "ö.json"),
        (Path.unlink, "ö.json"),
        (date_back, "ö.json"),
    ],
)
def test_a_change_in_a_folder_is_told(
    tmp_path: Path, opened: Open, change: Callable[[Path], None], name: str
) -> None:
    folder = tmp_path / "watched"
    folder.mkdir()
    file = folder / "ö.json"
    file.write_text("old")
    with opened([str(folder)]) as watch:
        assert watch.wait() == set()
        change(file)
        news(watch, folder / name)


@by_every_means
def test_what_is_in_a_folders_folders_is_not_told(tmp_path: Path, opened: Open) -> None:
    (tmp_path / "inner").mkdir()
    with opened([str(tmp_path)]) as watch:
        watch.wait()
        (tmp_path / "inner" / "unheard.json").touch()
        (tmp_path / "heard.json").touch()
        told = news(watch, tmp_path / "heard.json")
    assert str(tmp_path / "inner" / "unheard.json") not in told


@by_every_means
def test_each_folder_is_told_by_its_own_path(tmp_path: Path, opened: Open) -> None:
    folders = [tmp_path / name for name in ("one", "other")]
    for folder in folders:
        folder.mkdir()
    with opened([str(folder) for folder in folders]) as watch:
        watch.wait()
        for folder in folders:
            (folder / "file.json").touch()
            news(watch, folder / "file.json")


def test_a_folder_that_is_gone_is_named_as_missing(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), open_inotify([str(tmp_path), str(tmp_path / "gone")]):
        pass


def test_a_file_in_a_folders_place_is_a_folder_that_is_gone(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(FileNotFoundError), open_inotify([str(tmp_path / "file")]):
        pass


def test_watches_of_a_folder_that_goes_away_end_without_harm(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    with open_inotify([str(tmp_path), str(tmp_path / "inner")]) as watch:
        (tmp_path / "inner").rmdir()
        news(watch, tmp_path / "inner")
        (tmp_path / "later.json").touch()
        news(watch, tmp_path / "later.json")


def test_a_burst_is_told_at_once_and_a_steady_writer_in_parts(tmp_path: Path) -> None:
    watch = Inotify([str(tmp_path)], tick_ms=TICK_MS, step_ms=60_000, debounce_ms=0)
    for part in (range(3), range(3, 5)):
        files = {tmp_path / f"{number}.json" for number in part}
        for file in files:
            file.touch()
        assert watch.wait() == {str(file) for file in files}  # without waiting for the step
    watch.close()


def test_more_than_the_kernel_keeps_is_known_to_be_lost(tmp_path: Path) -> None:
    most = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    with open_inotify([str(tmp_path)]) as watch:
        file = tmp_path / "file.json"
        for _ in range(most // 2 + 1):
            file.touch()
            file.unlink()
        with pytest.raises(NewsLost):
            watch.wait()


def test_waiting_costs_next_to_nothing(tmp_path: Path) -> None:
    with open_inotify([str(tmp_path)]) as watch:
        watch.wait()
        ended, used = time.monotonic() + 1, time.thread_time()
        while time.monotonic() < ended:
            watch.wait()
        assert (time.thread_time() - used) * 1000 < AWAKE_MS_PER_SECOND


@contextmanager
def no_more_handles() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_the_kernels_refusal_is_one_of_ours(tmp_path: Path) -> None:
    with (
        no_more_handles(),
        pytest.raises(WatchUnavailable, match="open files"),
        open_inotify([str(tmp_path)]),
    ):
        pass


def test_the_librarys_refusal_is_one_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> Iterator[set[tuple[object, str]]]:
        raise OSError("OS file watch limit reached")
        yield

    monkeypatch.setattr("watchfiles.watch", refuse)
    monkeypatch.setenv("WATCHFILES_FORCE_POLLING", "1")  # by which users have it look at a network's files
    with (
        open_watch([str(tmp_path)], threading.Event()) as watch,
        pytest.raises(WatchUnavailable, match="limit"),
    ):
        watch.wait()
