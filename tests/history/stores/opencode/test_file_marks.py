import os
import time
from pathlib import Path

import pytest

from sidecar.history.stores.opencode import file_marks as module
from sidecar.history.stores.opencode.copies import SessionCopies
from sidecar.history.stores.opencode.file_marks import FileHead, FileMarks, Layout
from sidecar.history.stores.sessions.folders import Folders
from tests.history.stores.fixtures.momentary import too_many_open_files

KEY = "ses_1"
_HOUR = 3_600


class Session:
    """A session with two messages of two parts each, just written."""

    def __init__(self, root: Path) -> None:
        self.marks = FileMarks(Folders())
        self.file = root / "session" / f"{KEY}.json"
        self.messages = root / "message" / KEY
        self.parts = root / "part"
        self.heads = [
            FileHead(
                str(self.file),
                Layout(str(self.file.parent), str(root / "message"), str(self.parts), by_session=False),
            )
        ]
        self.files = [self.file]
        for message in ("msg_1", "msg_2"):
            self.files.append(self.messages / f"{message}.json")
            self.files += [self.parts / message / f"prt_{message}_{part}.json" for part in (1, 2)]
        for file in self.files:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("{}")

    def mark(self) -> int:
        """Return the fingerprint."""
        return self.marks.fingerprint(KEY, self.heads)


@pytest.fixture
def at_work(tmp_path: Path) -> Session:
    return Session(tmp_path)


@pytest.fixture
def session(at_work: Session, monkeypatch: pytest.MonkeyPatch) -> Session:
    """Let the last write be an hour ago by the clock: the time of a change cannot be set."""
    later = time.time_ns() + _HOUR * 1_000_000_000
    monkeypatch.setattr(time, "time_ns", lambda: later)
    return at_work


def _stats(session: Session, monkeypatch: pytest.MonkeyPatch) -> int:
    """Return how many files are examined for the fingerprint."""
    examined = []
    lstat = os.lstat

    def note(path: str) -> os.stat_result:
        examined.append(path)
        return lstat(path)

    with monkeypatch.context() as noting:
        noting.setattr(os, "lstat", note)
        session.mark()
    return len(examined)


def test_of_a_session_at_rest_few_files_are_compared(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.mark()
    assert _stats(session, monkeypatch) == len(
        ("session", "messages", "last message", "its parts", "part 1", "part 2")
    )


def test_a_session_at_work_is_compared_completely(at_work: Session) -> None:
    before = at_work.mark()
    at_work.files[2].write_text('{"type": "text"}')
    assert at_work.mark() != before


def test_a_session_that_is_restored_with_old_times_is_compared_completely(at_work: Session) -> None:
    then = time.time() - _HOUR
    for file in at_work.files:
        os.utime(file, (then, then))
    before = at_work.mark()
    (at_work.parts / "msg_1" / "prt_3.json").write_text("{}")
    assert at_work.mark() != before


@pytest.mark.parametrize("place", [0, 4, 5], ids=["session", "last message", "its part"])
def test_a_file_that_opencode_writes_next_is_noticed_at_once(session: Session, place: int) -> None:
    before = session.mark()
    session.files[place].write_text('{"time": {}}')
    assert session.mark() != before


def test_an_added_message_is_noticed_at_once(session: Session) -> None:
    before = session.mark()
    (session.messages / "msg_3.json").write_text("{}")
    assert session.mark() != before


def test_an_added_part_of_the_last_message_is_noticed_at_once(session: Session) -> None:
    before = session.mark()
    (session.parts / "msg_2" / "prt_3.json").write_text("{}")
    assert session.mark() != before


def test_the_first_part_of_the_last_message_is_noticed_at_once(session: Session) -> None:
    (session.messages / "msg_3.json").write_text("{}")
    before = session.mark()
    (session.parts / "msg_3").mkdir()
    (session.parts / "msg_3" / "prt_1.json").write_text("{}")
    assert session.mark() != before


def test_a_removed_message_is_noticed_at_once(session: Session) -> None:
    before = session.mark()
    session.files[1].unlink()
    assert session.mark() != before


def test_an_edit_of_an_older_part_is_noticed_later(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    before = session.mark()
    session.files[2].write_text('{"type": "text"}')
    assert session.mark() == before
    later = time.monotonic() + 2 * module._TRUSTED_SECONDS
    monkeypatch.setattr(time, "monotonic", lambda: later)
    assert session.mark() != before


def test_a_session_that_could_not_be_listed_is_compared_again(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = session.mark()
    with too_many_open_files("msg_1", monkeypatch):
        session.marks = FileMarks(Folders())
        assert session.mark() != whole
    assert session.mark() == whole


def test_a_session_whose_folder_was_missed_is_found_by_the_next_call(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "root" / "storage" / "session" / "project"
    project.mkdir(parents=True)
    (project / session.file.name).write_text("{}")
    copies = SessionCopies(str(tmp_path / "root"))
    with too_many_open_files("project", monkeypatch):
        assert [*copies.all()] == []
    assert [*copies.all()] == [KEY]


def test_a_new_session_is_listed_at_once_though_fingerprints_were_just_taken(tmp_path: Path) -> None:
    copies = SessionCopies(str(tmp_path))
    for key in ("ses_a", "ses_b"):
        project = tmp_path / "storage" / "session" / f"project of {key}"
        project.mkdir(parents=True)
        (project / f"{key}.json").write_text("{}")
        os.utime(project, (1, 1))
        os.utime(project.parent, (1, 1))
        assert key in copies.all()
        assert copies.fingerprints([key]).keys() == {key}
