"""A list is printed again as it was, if nothing has changed that it depends on."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from sidecar.cli.answers import answer_file
from sidecar.cli.answers.known import print_known
from sidecar.cli.answers.question import Question
from sidecar.corpus.stores import STORES
from sidecar.storage.kept.copies import folder_for
from tests.cli.answers.conftest import Lists
from tests.generator import ERAS, generate


@pytest.mark.parametrize("product", STORES)
def test_a_known_list_is_the_same_to_the_byte(lists: Lists, product: str) -> None:
    lists.write(product)
    made = lists.keep()
    known = lists.run()
    shutil.rmtree(lists.cache)
    assert lists.run() == known == (0, made, "")


@pytest.mark.parametrize("product", STORES)
def test_a_list_is_known_until_a_file_changes(lists: Lists, product: str) -> None:
    lists.write(product)
    lists.keep()
    lists.mark()
    assert lists.is_known()
    changed = max(lists.root.rglob("*"), key=lambda path: path.is_file() and path.stat().st_size)
    os.utime(changed)
    assert not lists.is_known()


def test_task_folders_are_known_until_one_changes(lists: Lists) -> None:
    generate(lists.root, ERAS[3], 5)
    lists.keep()
    lists.mark()
    assert lists.is_known()
    next(lists.root.rglob("ui_messages.json")).write_text("[]")
    assert not lists.is_known()


def _append(root: Path) -> None:
    with _session(root).open("a") as file:
        file.write('{"type":"summary","summary":"Named later","leafUuid":"x"}\n')


def _rewrite_with_the_old_time(root: Path) -> None:
    path, status = _session(root), _session(root).stat()
    path.write_bytes(path.read_bytes().replace(b"a", b"b"))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def _add(root: Path) -> None:
    path = _session(root)
    shutil.copy2(path, path.with_name("11111111-2222-4333-8444-555555555555.jsonl"))


def _add_a_subagent(root: Path) -> None:
    folder = _session(root).with_suffix("") / "subagents" / "workflows" / "deep"
    folder.mkdir(parents=True)
    shutil.copy2(_session(root), folder / "agent-abc.jsonl")


def _replace(root: Path) -> None:
    root.rename(root.with_name("elsewhere"))
    root.mkdir()


def _session(root: Path) -> Path:
    return min(root.glob("projects/*/????????-*.jsonl"))


CHANGES: dict[str, Callable[[Path], object]] = {
    "an appended record": _append,
    "a rewritten file of the same size and time": _rewrite_with_the_old_time,
    "a new session": _add,
    "a new subagent far below": _add_a_subagent,
    "a removed session": lambda root: _session(root).unlink(),
    "a renamed project": lambda root: _session(root).parent.rename(root / "projects" / "renamed"),
    "a new project": lambda root: (root / "projects" / "new").mkdir(),
    "a replaced root": _replace,
    "another format": lambda root: (root / "tasks").mkdir(),
}


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_of_a_store_is_seen(lists: Lists, change: str) -> None:
    lists.write()
    lists.keep()
    lists.mark()
    assert lists.is_known()
    CHANGES[change](lists.root)
    assert not lists.is_known()


def test_a_known_list_of_a_removed_root_is_wrong_use(lists: Lists) -> None:
    lists.write()
    lists.keep()
    shutil.rmtree(lists.root)
    assert lists.run()[0] == 2


def test_other_settings_make_another_list(lists: Lists) -> None:
    lists.write()
    lists.keep()
    lists.mark()
    lists.settings.parent.mkdir(parents=True)
    lists.settings.write_text('[history]\nrules = "guide"\n')
    assert not lists.is_known()


def test_a_kept_copy_that_appears_makes_another_list(lists: Lists) -> None:
    lists.write()
    lists.keep()
    lists.mark()
    copies = Path(folder_for(str(lists.home / "own" / "kept"), str(lists.root)))
    assert lists.is_known()
    copies.mkdir(parents=True)
    (copies / "list.jsonl").touch()
    assert not lists.is_known()


@pytest.mark.parametrize(
    "other", ["--limit", "--sort", "the directory", "the environment", "the cache directory"]
)
def test_each_question_has_an_answer_of_its_own(
    lists: Lists, other: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    lists.write()
    lists.keep()
    lists.mark()
    options: tuple[str, ...] = ()
    if other == "--limit":
        options = (*lists.usual, "--limit", "2")
    elif other == "--sort":
        options = (*lists.usual, "--sort", "title")
    elif other == "the directory":
        monkeypatch.chdir(tmp_path)
    elif other == "the environment":
        monkeypatch.setenv("CLAUDE_CONFIG_DIR", "/elsewhere")
    else:
        monkeypatch.setenv("SIDECAR_CACHE_DIR", str(tmp_path / "other"))
    assert not lists.is_known(*options)


def test_an_answer_holds_until_the_next_status_changes(
    lists: Lists, capfd: pytest.CaptureFixture[str]
) -> None:
    lists.write()
    made = lists.keep()
    (path,) = lists.kept
    answer = answer_file.read(str(path))
    assert answer is not None
    for now, holds in {
        answer.since - 1: False,  # the clock was set back
        answer.since: True,
        answer.until - 1: True,
        answer.until: False,
    }.items():
        assert print_known(Question(str(path), now)) is holds
        assert capfd.readouterr().out == (made if holds else "")
