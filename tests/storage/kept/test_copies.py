"""Kept copies are whole or not there, share equal files, and stay within their room."""

import errno
import os
import re
from collections.abc import Callable
from pathlib import Path
from unittest.mock import Mock

import pytest

from sidecar.storage.atomic import temp_path
from sidecar.storage.kept import copies as copies_module
from sidecar.storage.kept import lost_content
from sidecar.storage.kept.blobs import Stopped, is_sound, open_blob
from sidecar.storage.kept.copies import Copies, copies_in, folder_for, kept_roots, nameless
from sidecar.storage.kept.drafts import NoRoom
from sidecar.storage.kept.records import Listed, parse_list
from sidecar.storage.kept.regular import NotRegular
from sidecar.storage.kept.writing import CopyWriter

ROOM = 1 << 30
LINES = b"".join(b'{"uuid": "%d", "text": "the same words again"}\n' % number for number in range(5_000))


class Place:
    """A root with files, and the folder of its copies."""

    def __init__(self, path: Path) -> None:
        self.root = path / "store"
        self.root.mkdir()
        self.kept = path / "own" / "kept"
        self.writer = CopyWriter(folder_for(str(self.kept), str(self.root)))

    def file(self, name: str, data: bytes = LINES) -> str:
        (self.root / name).write_bytes(data)
        return str(self.root / name)

    def add(self, key: str, *paths: str, room: int = ROOM) -> int:
        return self.writer.add(str(self.root), "claude", key, paths, room)

    def copied(self, key: str) -> dict[str, bytes]:
        """Return the content of each copied file, as another process sees it."""
        copies = Copies(self.writer.folder)
        return {file.path: content(copies.blob(file)) for file in copies.sessions()[key].files}


def content(blob: str) -> bytes:
    with open(open_blob(blob), "rb") as file:
        return file.read()


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_a_copy_holds_the_files_of_its_session(place: Place) -> None:
    (place.root / "deep").mkdir()
    used = place.add("one", place.file("deep/a.jsonl"), place.file("b.jsonl", b""))
    assert place.copied("one") == {"deep/a.jsonl": LINES, "b.jsonl": b""}
    assert used == place.writer.size < len(LINES) // 10
    assert [*kept_roots(place.kept)] == [str(place.root)]
    assert oct(os.stat(place.writer.list).st_mode & 0o777) == "0o600"


def test_equal_files_share_one_copy(place: Place) -> None:
    first = place.add("one", place.file("a.jsonl"))
    assert place.add("two", place.file("b.jsonl")) == 0
    assert place.writer.size == first
    place.writer.remove(["one"])
    assert place.copied("two") == {"b.jsonl": LINES}


def test_the_copy_of_a_changed_file_replaces_the_former(place: Place) -> None:
    path = place.file("a.jsonl")
    place.add("one", path)
    place.add("one", place.file("a.jsonl", LINES * 2))
    place.writer.sweep()
    assert place.copied("one") == {"a.jsonl": LINES * 2}
    assert len(place.writer.entries()) == 1


def test_a_removed_copy_is_gone_but_remembered(place: Place) -> None:
    place.add("one", place.file("a.jsonl"))
    assert place.writer.remove(["one"])
    assert not place.writer.remove(["one"])
    assert not place.writer.sessions() and not place.writer.entries()
    assert place.writer.deleted("one")


def test_a_copy_that_exceeds_the_room_is_not_made(place: Place) -> None:
    whole = place.add("one", place.file("a.jsonl"))
    with pytest.raises(NoRoom):
        place.add("two", place.file("b.jsonl", LINES[::-1]), room=whole // 2)
    assert [*place.writer.sessions()] == ["one"]
    assert len(place.writer.entries()) == 1


def test_a_stopped_copy_is_not_listed(place: Place) -> None:
    writer = CopyWriter(place.writer.folder, lambda: True)
    with pytest.raises(Stopped):
        writer.add(str(place.root), "claude", "one", [place.file("a.jsonl")], ROOM)
    assert not writer.sessions() and not writer.entries()


def test_links_and_missing_files_are_not_copied(place: Place, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (place.root / "link").symlink_to(tmp_path / "secret")
    for path in ("link", "missing"):
        with pytest.raises(OSError):
            place.add("one", str(place.root / path))
    assert not place.writer.sessions()


def test_a_session_whose_files_are_gone_keeps_its_copy(place: Place) -> None:
    place.add("one", place.file("a.jsonl"))
    with pytest.raises(FileNotFoundError, match="its files are gone"):
        place.add("one")
    place.writer.sweep()
    assert place.copied("one") == {"a.jsonl": LINES}


def test_the_copy_of_a_file_that_is_gone_stays_when_another_file_of_its_session_grows(place: Place) -> None:
    first, second = place.file("a.jsonl"), place.file("b.jsonl", b"{}\n")
    place.add("one", first, second)
    Path(first).unlink()
    place.add("one", place.file("b.jsonl", b"{}\n{}\n"))
    place.add("one", place.file("b.jsonl", b"{}\n{}\n{}\n"))
    place.writer.sweep()
    assert place.copied("one") == {"a.jsonl": LINES, "b.jsonl": b"{}\n{}\n{}\n"}
    assert len(place.writer.entries()) == 2


@pytest.mark.parametrize(
    "content", [b"", bytes(5_000), LINES[:5], LINES[:5] + bytes(3), LINES[:500] + bytes(2 * len(LINES))]
)
def test_a_file_that_lost_its_content_does_not_replace_its_copy(place: Place, content: bytes) -> None:
    place.add("one", place.file("a.jsonl"), place.file("empty.jsonl", content))
    with pytest.raises(OSError, match="it lost content that its copy has"):
        place.add("one", place.file("a.jsonl", content), place.file("empty.jsonl", content))
    assert place.copied("one") == {"a.jsonl": LINES, "empty.jsonl": content}
    assert len(place.writer.entries()) == 2


@pytest.mark.parametrize(
    "harm", [lambda path: path.touch(), os.mkfifo, Path.mkdir], ids=["empty", "pipe", "folder"]
)
def test_the_copy_of_a_destroyed_file_stays_when_another_file_of_its_session_grows(
    place: Place, harm: Callable[[Path], None]
) -> None:
    first, second = place.file("a.jsonl"), place.file("b.jsonl", b"{}\n")
    place.add("one", first, second)
    Path(first).unlink()
    harm(Path(first))
    place.add("one", first, place.file("b.jsonl", b"{}\n{}\n"))
    place.writer.sweep()
    assert place.copied("one") == {"a.jsonl": LINES, "b.jsonl": b"{}\n{}\n"}
    listed = Path(place.writer.list).read_bytes()
    with pytest.raises(OSError, match="it lost content that its copy has"):
        place.add("one", first, second)
    assert Path(place.writer.list).read_bytes() == listed


def test_the_copy_of_a_file_that_its_session_no_longer_names_stays(place: Place) -> None:
    place.add("one", place.file("a.jsonl"), place.file("b.jsonl", b"{}\n"))
    place.file("a.jsonl", b"")
    place.add("one", place.file("b.jsonl", b"{}\n{}\n"))
    place.writer.sweep()
    assert place.copied("one") == {"a.jsonl": LINES, "b.jsonl": b"{}\n{}\n"}


@pytest.mark.parametrize("at", ["deep", "deep/a.jsonl"])
def test_the_copy_of_a_file_that_was_moved_behind_a_link_stays(place: Place, tmp_path: Path, at: str) -> None:
    (place.root / "deep").mkdir()
    first = place.file("deep/a.jsonl")
    place.add("one", first, place.file("b.jsonl", b"{}\n"))
    (place.root / at).rename(tmp_path / "moved")
    (place.root / at).symlink_to(tmp_path / "moved")
    grown = place.file("b.jsonl", b"{}\n{}\n")
    place.add("one", *([grown] if at == "deep" else [first, grown]))
    place.writer.sweep()
    assert place.copied("one") == {"deep/a.jsonl": LINES, "b.jsonl": b"{}\n{}\n"}


def test_no_copy_is_replaced_by_its_start_while_it_cannot_be_read(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.add("one", place.file("a.jsonl"))
    with monkeypatch.context() as patched:
        unreadable = Mock(side_effect=OSError(errno.EMFILE, "too many open files"))
        patched.setattr(lost_content, "open_regular", unreadable)
        with pytest.raises(OSError, match="too many open files"):
            place.add("one", place.file("a.jsonl", LINES[:500]))
    assert place.copied("one") == {"a.jsonl": LINES}


def test_a_damaged_copy_is_replaced_by_the_start_of_its_content(place: Place) -> None:
    place.add("one", place.file("a.jsonl"))
    (blob,) = place.writer.entries()
    Path(blob.path).write_bytes(b"damaged")
    place.add("one", place.file("a.jsonl", LINES[:500]))
    assert place.copied("one") == {"a.jsonl": LINES[:500]}


def test_a_shorter_file_with_other_content_replaces_its_copy(place: Place) -> None:
    place.add("one", place.file("a.jsonl"))
    place.add("one", place.file("a.jsonl", b"{}\n"))
    assert place.copied("one") == {"a.jsonl": b"{}\n"}


def test_no_copy_is_replaced_or_removed_while_the_copies_cannot_be_listed(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.add("one", place.file("a.jsonl"), place.file("b.jsonl", b"{}\n"))
    Path(place.root, "a.jsonl").unlink()
    again = place.file("b.jsonl", b"{}\n{}\n")
    with monkeypatch.context() as patched:
        patched.setattr(os, "scandir", Mock(side_effect=OSError(errno.EMFILE, "too many open files")))
        place.writer = CopyWriter(place.writer.folder)
        with pytest.raises(OSError, match="too many open files"):
            place.add("one", again)
        with pytest.raises(OSError, match="too many open files"):
            place.writer.remove(["one"])
    place.add("one", again)
    assert place.copied("one") == {"a.jsonl": LINES, "b.jsonl": b"{}\n{}\n"}


def test_a_listed_copy_without_files_replaces_none(place: Place) -> None:
    place.add("one", place.file("a.jsonl"))
    with open(place.writer.list, "ab") as file:
        file.write(b'{"key":"one","files":[],"deleted":false}\n')
    CopyWriter(place.writer.folder).sweep()
    assert place.copied("one") == {"a.jsonl": LINES}


def test_a_session_with_a_missing_file_is_not_listed(place: Place) -> None:
    place.add("one", place.file("a.jsonl"), place.file("b.jsonl", b"other"))
    lost = place.writer.sessions()["one"].files[0]
    os.unlink(place.writer.blob(lost))
    assert not Copies(place.writer.folder).sessions()


@pytest.mark.parametrize("harm", [lambda data: data[:-9], lambda data: data[:60] + b"xx" + data[62:]])
def test_a_damaged_copy_is_not_taken_for_the_original(place: Place, harm: object) -> None:
    place.add("one", place.file("a.jsonl"))
    blob = Path(place.writer.blob(place.writer.sessions()["one"].files[0]))
    blob.write_bytes(harm(blob.read_bytes()))  # type: ignore[operator]
    with pytest.raises(OSError, match="damaged"):
        open_blob(str(blob))


def test_a_cut_or_foreign_line_of_the_list_is_left_out(place: Place) -> None:
    place.add("one", place.file("a.jsonl"))
    with open(place.writer.list, "ab") as file:
        file.write(b'{"key":"two","files":[["b","../../secret",1,1]],"deleted":false}\nnull\n{"key":"thr')
    place.add("four", place.file("b.jsonl"))
    assert [*Copies(place.writer.folder).sessions()] == ["one", "four"]


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_what_is_not_a_regular_file_holds_no_reader(place: Place, make: Callable[[str], None]) -> None:
    place.add("one", path := place.file("a.jsonl"))
    blob = place.writer.blob(place.writer.sessions()["one"].files[0])
    os.unlink(blob)
    make(blob)
    assert not is_sound(blob)
    with pytest.raises(NotRegular):
        open_blob(blob)
    place.add("one", place.file("a.jsonl", b"other"))
    CopyWriter(place.writer.folder).sweep()
    os.unlink(place.writer.list)
    make(place.writer.list)
    copies = Copies(place.writer.folder)
    assert "is damaged; it does not name" in (copies.loss() or "") and not copies.sessions()
    with pytest.raises(OSError):
        CopyWriter(place.writer.folder).add(str(place.root), "claude", "one", [path], ROOM)


def test_no_copy_is_removed_while_the_list_cannot_be_read(place: Place) -> None:
    place.add("one", place.file("a.jsonl"))
    away = place.root / "list"
    os.rename(place.writer.list, away)
    os.mkdir(place.writer.list)
    with pytest.raises(OSError):
        place.writer.sweep()
    os.rmdir(place.writer.list)
    os.rename(away, place.writer.list)
    assert place.copied("one") == {"a.jsonl": LINES}


@pytest.mark.parametrize("harm", [lambda data: data.replace(b'"key":"one"', b'"k\1y":"one"'), lambda _: b""])
def test_no_copy_is_removed_while_a_line_of_the_list_is_damaged(
    place: Place, harm: Callable[[bytes], bytes]
) -> None:
    place.add("one", place.file("a.jsonl"))
    path = Path(place.writer.list)
    whole = path.read_bytes()
    path.write_bytes(harm(whole))
    place.writer.sweep()
    path.write_bytes(whole)
    assert place.copied("one") == {"a.jsonl": LINES}


@pytest.mark.parametrize(
    "harm", [lambda _: None, lambda data: b"".join(data.splitlines(True)[:2])], ids=["missing", "shortened"]
)
def test_no_copy_is_removed_after_lines_of_the_list_were_lost(
    place: Place, harm: Callable[[bytes], bytes | None]
) -> None:
    place.add("one", place.file("a.jsonl"))
    place.add("two", place.file("b.jsonl", b"b"))
    path = Path(place.writer.list)
    whole = path.read_bytes()
    path.unlink()
    if (left := harm(whole)) is not None:
        path.write_bytes(left)
    assert "does not name" in (Copies(place.writer.folder).loss() or "")
    for number in range(3):
        CopyWriter(place.writer.folder).remove([f"more {number - 1}"])
        writer = CopyWriter(place.writer.folder)
        writer.add(str(place.root), "claude", f"more {number}", [place.file("c.jsonl", b"c" * number)], ROOM)
        writer.sweep()
    assert "does not name" in (Copies(place.writer.folder).loss() or "")
    path.write_bytes(path.read_bytes() + whole)
    CopyWriter(place.writer.folder).sweep()
    assert place.copied("one") == {"a.jsonl": LINES}
    assert place.copied("two") == {"b.jsonl": b"b"}
    assert Copies(place.writer.folder).loss() is None
    assert len(place.writer.entries()) == 3


def test_a_line_that_was_not_written_to_its_end_is_removed_with_the_next_one(place: Place) -> None:
    place.add("one", place.file("a.jsonl"))
    path = Path(place.writer.list)
    with path.open("ab") as file:
        file.write(path.read_bytes().splitlines()[-1][:-9])
    place.add("two", place.file("b.jsonl", b"b"))
    place.writer.sweep()
    assert [*Copies(place.writer.folder).sessions()] == ["one", "two"]
    assert len(place.writer.entries()) == 2


def test_a_list_that_is_replaced_by_an_older_one_meanwhile_removes_no_copy(place: Place) -> None:
    place.add("one", place.file("a.jsonl", LINES * 2))
    older = Path(place.writer.list).read_bytes()
    place.add("two", place.file("b.jsonl"))
    Path(place.writer.list).write_bytes(older)
    place.add("three", place.file("c.jsonl", LINES * 3))
    place.writer.sweep()
    assert len(place.writer.entries()) == 3
    assert Copies(place.writer.folder).loss() is not None


def test_zeros_at_the_end_of_the_list_remove_no_copy(place: Place) -> None:
    place.add("one", place.file("a.jsonl", LINES * 2))
    place.add("two", place.file("b.jsonl"))
    path = Path(place.writer.list)
    path.write_bytes(path.read_bytes()[:-80] + bytes(80))
    assert Copies(place.writer.folder).loss() is not None
    CopyWriter(place.writer.folder).sweep()
    assert len(place.writer.entries()) == 2


def test_a_copy_that_the_user_removes_is_gone_though_the_list_lost_lines(place: Place) -> None:
    place.add("one", place.file("a.jsonl", LINES * 2))
    place.add("two", place.file("b.jsonl"))
    path = Path(place.writer.list)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:2]))
    writer = CopyWriter(place.writer.folder)
    assert writer.remove(["one"])
    assert len(writer.entries()) == 1


@pytest.mark.parametrize("name", ["open", "listdir"])
def test_copies_stay_listed_while_no_file_can_be_opened(
    place: Place, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    place.add("one", place.file("a.jsonl"))
    copies = Copies(place.writer.folder)
    copies.sessions()
    place.add("two", place.file("b.jsonl", b"{}"))

    def fail(*_: object) -> None:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    with monkeypatch.context() as patched:
        patched.setattr(os, name, fail)
        assert [*copies.sessions()] == ["one"]
        assert Copies(place.writer.folder).loss() is None
    assert {*copies.sessions()} == {"one", "two"}


def test_what_killed_writers_and_older_versions_left_is_removed(place: Place) -> None:
    place.add("one", place.file("a.jsonl"))
    left = [
        temp_path(Path(place.writer.folder, name)) for name in ("list.size", "list.jsonl", "blobs/blob.kept")
    ]
    for path in [*left, size := Path(place.writer.folder, "list.size")]:
        path.write_bytes(b"1")
    place.writer.sweep()
    assert not any(path.exists() for path in [*left, size])
    assert place.copied("one") == {"a.jsonl": LINES}


def test_the_file_by_which_older_versions_notice_lost_lines_stays_while_lines_are_lost(place: Place) -> None:
    place.add("one", place.file("a.jsonl"))
    os.unlink(place.writer.list)
    former = Path(place.writer.folder, "list.size")
    former.write_bytes(b"1")
    place.writer.sweep()
    assert former.exists()


def test_a_copy_that_no_line_names_stays_until_one_of_the_same_content_is_made(place: Place) -> None:
    place.add("one", place.file("a.jsonl"))
    os.unlink(place.writer.list)
    for name in ("b.jsonl", "a.jsonl"):
        assert "does not name 1 copied file" in (Copies(place.writer.folder).loss() or "")
        writer = CopyWriter(place.writer.folder)
        writer.sweep()
        writer.add(str(place.root), "claude", name, [place.file(name, LINES if name < "b" else b"{}")], ROOM)
    assert Copies(place.writer.folder).loss() is None
    assert place.copied("a.jsonl") == {"a.jsonl": LINES}
    assert [*kept_roots(place.kept)] == [str(place.root)]


def test_a_growing_session_takes_no_more_room_after_lines_were_lost(place: Place) -> None:
    place.add("other", place.file("b.jsonl", b"b"))
    os.unlink(place.writer.list)
    for size in range(1, 9):
        CopyWriter(place.writer.folder).sweep()
        place.writer = CopyWriter(place.writer.folder)
        place.add("one", place.file("a.jsonl", LINES[: 100 * size]), room=200)
        assert len(place.writer.entries()) == 2


def test_a_list_with_a_damaged_first_line_tells_its_root(place: Place) -> None:
    place.add("one", place.file("a.jsonl"))
    path = Path(place.writer.list)
    path.write_bytes(path.read_bytes().replace(b'"root":"/', b'"root":"!', 1))
    listed = Copies(place.writer.folder).listed()
    assert (listed.root, listed.product) == (str(place.root), "claude")
    assert [*kept_roots(place.kept)] == [str(place.root)] and not [*nameless(place.kept)]
    CopyWriter(place.writer.folder).sweep()
    assert path.read_bytes().startswith(b'{"version":1,"root":"/')


def test_the_root_of_a_list_of_an_older_version_is_written_again(place: Place) -> None:
    place.add("one", place.file("a.jsonl"))
    path = Path(place.writer.list)
    lines = [line.replace(b'"root"', b'"ruin"') for line in path.read_bytes().splitlines(True)]
    path.write_bytes(b"".join(re.sub(rb',"crc":\d+', b"", line) for line in lines))
    assert [*Copies(place.writer.folder).sessions()] == ["one"] and not [*kept_roots(place.kept)]
    assert [copies.folder for copies in nameless(place.kept)] == [place.writer.folder]
    CopyWriter(place.writer.folder).add(str(place.root), "claude", "two", [place.file("b.jsonl")], ROOM)
    assert [*kept_roots(place.kept)] == [str(place.root)] and not [*nameless(place.kept)]
    assert [*Copies(place.writer.folder).sessions()] == ["one", "two"]


def test_the_list_is_parsed_once_for_each_change(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.add("one", place.file("a.jsonl"))
    parsed: list[bytes] = []

    def parse(data: bytes) -> Listed:
        parsed.append(data)
        return parse_list(data)

    monkeypatch.setattr(copies_module, "parse_list", parse)
    for _ in range(3):
        assert [*copies_in(place.writer.folder).sessions()] == ["one"]
    assert len(parsed) == 1
    Path(place.writer.blobs, place.writer.entries()[0].name).unlink()
    os.utime(place.writer.blobs, (1, 1))  # the clock of the file system may not have ticked
    assert not copies_in(place.writer.folder).sessions()


def test_a_list_with_many_outdated_lines_is_shortened(place: Place) -> None:
    path = place.file("a.jsonl", b"a")
    for _ in range(70):
        place.add("one", path)
    place.writer.sweep()
    assert len(Path(place.writer.list).read_bytes().splitlines()) == 2
    assert place.copied("one") == {"a.jsonl": b"a"}
