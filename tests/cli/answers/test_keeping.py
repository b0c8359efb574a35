"""Which lists are kept, how many, and what happens to files that are not what was written."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from sidecar.cli.answers import answer_file, keeping
from tests.cli.answers.conftest import Lists


@pytest.mark.parametrize(
    "options",
    [
        ("--query", "since:7d"),
        ("--rules", "guide"),
        ("--log-level", "info"),
        ("--config", "settings.toml"),
    ],
)
def test_a_list_that_depends_on_more_is_not_kept(
    lists: Lists, options: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    lists.write()
    lists.keep()
    (lists.home / "settings.toml").touch()
    monkeypatch.chdir(lists.home)
    known = lists.kept
    for _ in range(2):
        assert lists.run(*lists.usual, *options)[0] == 0
    assert lists.kept == known


@pytest.mark.parametrize("setting", ["autoDiscover = true", "estimateCost = true"])
def test_a_list_that_settings_let_depend_on_more_is_not_kept(lists: Lists, setting: str) -> None:
    lists.write()
    lists.keep()
    lists.settings.parent.mkdir(parents=True)
    lists.settings.write_text(f"[history]\n{setting}\n")
    known = lists.kept
    roots = () if setting.startswith("auto") else lists.usual
    assert lists.run("--children", *roots)[0] == 0
    assert lists.kept == known


def test_the_configured_roots_are_kept_too(lists: Lists) -> None:
    lists.write()
    lists.settings.parent.mkdir(parents=True)
    lists.settings.write_text(f'[history]\nforeignRoots = ["{lists.root}"]\n')
    assert '"product":"claude"' in lists.keep("--children")
    lists.mark()
    assert lists.is_known("--children")
    (lists.home / "own" / "tasks").mkdir(parents=True)
    assert not lists.is_known("--children")


def test_a_list_is_not_kept_while_a_session_is_written(lists: Lists, monkeypatch: pytest.MonkeyPatch) -> None:
    lists.write()
    lists.keep()
    (path,) = lists.kept
    before = path.stat()
    answer = answer_file.read(str(path))  # which may change the time of the last access
    assert answer is not None
    newest = Path(answer.newest[0][0])
    monkeypatch.setattr(keeping, "TICK_NS", 0)
    for _ in range(3):
        os.utime(newest)
        assert lists.run()[0] == 0
    after = path.stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_only_the_newest_answers_are_kept(lists: Lists) -> None:
    lists.write()
    for limit in range(1, 8):
        lists.keep(*lists.usual, "--limit", str(limit))
    assert len(lists.kept) == answer_file.MOST_FILES
    lists.mark()
    assert lists.is_known(*lists.usual, "--limit", "7")
    assert not lists.is_known(*lists.usual, "--limit", "1")


def _flip(path: Path, place: int) -> None:
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(data)


def _link(path: Path) -> None:
    path.rename(path.with_name("moved"))
    path.symlink_to("moved")


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


HARM: dict[str, Callable[[Path], object]] = {
    "cut": lambda path: path.write_bytes(path.read_bytes()[:-9]),
    "cut in the middle": lambda path: path.write_bytes(path.read_bytes()[:60]),
    "empty": lambda path: path.write_bytes(b""),
    "a changed byte at the start": lambda path: _flip(path, 3),
    "a changed byte in the places": lambda path: _flip(path, 80),
    "a changed byte at the end": lambda path: _flip(path, -5),
    "a link": _link,
    "a pipe": _pipe,
    "a file that others can write": lambda path: path.chmod(0o622),
}


@pytest.mark.parametrize("harm", HARM)
def test_an_answer_that_was_not_written_so_is_made_again(lists: Lists, harm: str) -> None:
    lists.write()
    made = lists.keep()
    lists.mark()
    (path,) = lists.kept
    HARM[harm](path)
    assert lists.run() == (0, made, "")
    lists.mark()
    assert lists.is_known()


def test_a_folder_in_the_place_of_an_answer_does_no_harm(lists: Lists) -> None:
    lists.write()
    made = lists.keep()
    (path,) = lists.kept
    path.unlink()
    (path / "inside").mkdir(parents=True)
    for _ in range(2):
        assert lists.run() == (0, made, "")
    assert [*path.iterdir()] == [path / "inside"]


def test_answers_are_private(lists: Lists) -> None:
    lists.write()
    lists.keep()
    (path,) = lists.kept
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_a_cache_that_cannot_be_written_costs_nothing_but_time(lists: Lists) -> None:
    lists.write()
    made = lists.keep()
    for path in lists.kept:
        path.unlink()
    (lists.cache / "lists").rmdir()
    (lists.cache / "lists").write_text("not a folder")
    assert lists.run() == (0, made, "")


def test_leftovers_of_killed_writers_are_removed(lists: Lists) -> None:
    lists.write()
    lists.keep()
    folder = lists.cache / "lists"
    for number in range(9):
        (folder / f"left.{number}").write_text("half of an answer")
    (folder / "a folder").mkdir()
    lists.keep(*lists.usual, "--limit", "3")
    assert len([path for path in lists.kept if path.is_file()]) == answer_file.MOST_FILES
