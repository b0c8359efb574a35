"""Sessions that their product deletes stay listed, whole, when `history.keep` names the product."""

import errno
import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from unittest.mock import DEFAULT, Mock

import msgspec
import pytest

from sidecar.api.errors import StorageError
from sidecar.api.settings import HistorySettings, Settings
from sidecar.api.stored.search import SearchParams
from sidecar.api.stored.stats import StatsParams
from sidecar.api.stored.tasks import TaskInfo
from sidecar.app.upkeep.housekeeping import Housekeeping
from sidecar.app.upkeep.keeping import Keeping
from sidecar.corpus.agents.claude import generate
from sidecar.history import TaskHistory
from sidecar.history.doctor import examine
from sidecar.history.export import export
from sidecar.history.insight import stats
from sidecar.history.listing.selection import Selection
from sidecar.history.search import SearchService
from sidecar.history.search.build import update
from sidecar.history.stores.status_by_age import DAY_MS
from sidecar.storage.kept import list_file, writing
from sidecar.storage.kept.blobs import is_sound
from sidecar.storage.kept.copies import Copies
from sidecar.storage.layout import OwnRoot
from tests.history.conftest import NOW
from tests.history.stores.fixtures.agents import snapshot

Destroyer = Callable[[Path], None]
OLD = (NOW / 1000 - 40 * 86_400,) * 2


def empty(file: Path) -> None:
    file.write_bytes(b"")
    os.utime(file, OLD)


def zeros(file: Path) -> None:
    file.write_bytes(b"\0" * file.stat().st_size)
    os.utime(file, OLD)


def pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


def link(file: Path) -> None:
    file.unlink()
    file.symlink_to(file)


def folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


DESTROYERS = (empty, zeros, pipe, link, folder)


class Claude:
    """A store of Claude Code whose sessions are due, a history of it, and the keeping of copies."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.root = path / "claude"
        self.own = OwnRoot(path / "own")
        generate(self.root, 4)
        self.age(40)
        self.settings = HistorySettings(keep=["claude"])
        self.changed: list[str] = []
        self.history = self.opened()
        self.keeping = Keeping(self, self, lambda: NOW, self.changed.extend)

    @property
    def current(self) -> Settings:
        return Settings(history=self.settings)

    @property
    def histories(self) -> Sequence[TaskHistory]:
        return [self.history]

    async def entered(self) -> None:
        return

    def touch(self, root: str, task_ids: list[str]) -> None:
        self.history.touch(root, task_ids)

    def live(self, task_id: str) -> None:
        return None

    def opened(self) -> TaskHistory:
        """Open the history of another process."""
        roots = [self.own.path, self.root]
        return TaskHistory(roots, now=lambda: NOW, cache=self.path / "cache", kept=self.own.kept)

    def age(self, days: float) -> None:
        for file in self.root.rglob("*.jsonl"):
            os.utime(file, ((NOW - days * DAY_MS) / 1000,) * 2)

    def delete_all(self) -> None:
        shutil.rmtree(self.root / "projects")

    def rows(self) -> dict[str, TaskInfo]:
        return {row.id: row for row in self.history.select(Selection(children=True))}

    def kept_files(self) -> set[Path]:
        """Return the originals of the copies."""
        return {self.root / file.path for each in self.copies.sessions().values() for file in each.files}

    @property
    def copies(self) -> Copies:
        root = self.history.roots[1]
        return Copies(root.copies)


@pytest.fixture
def claude(tmp_path: Path) -> Claude:
    return Claude(tmp_path)


def plain(row: TaskInfo, **other: object) -> dict[str, object]:
    found: dict[str, object] = msgspec.to_builtins(msgspec.structs.replace(row, problems=[]))
    return {**found, **other}


def assert_listed_as_before(store: Claude, history: TaskHistory, before: dict[str, TaskInfo]) -> None:
    """Use another history from now on, and check that it has the same rows, of kept copies."""
    store.history = history
    history.refresh()
    after = store.rows()
    assert after.keys() == before.keys()
    for name, row in before.items():
        assert plain(after[name]) == plain(row, kept=True)


def test_deleted_sessions_stay_listed_with_the_same_values(claude: Claude) -> None:
    before = claude.rows()
    copied = claude.keeping.keep()
    assert len(copied) > 10
    assert claude.rows() == {name: msgspec.structs.replace(row, kept=True) for name, row in before.items()}
    claude.delete_all()
    for history in (claude.history, claude.opened()):
        assert_listed_as_before(claude, history, before)


@pytest.mark.parametrize("destroy", DESTROYERS)
def test_a_copy_replaces_a_session_that_lost_its_content(claude: Claude, destroy: Destroyer) -> None:
    before = claude.rows()
    claude.keeping.keep()
    sound = claude.rows()
    for file in claude.kept_files():
        destroy(file)
    claude.history.touch(str(claude.root), [*before])
    for history in (claude.history, claude.opened()):
        assert_listed_as_before(claude, history, before)
        assert all(history.messages(name).total for name in before)
    assert claude.keeping.keep() == []
    assert claude.rows() == sound


def cut(blob: Path) -> None:
    blob.write_bytes(blob.read_bytes()[:-20])


def flipped(blob: Path) -> None:
    """Change some bytes as a failing disk does, with the same size and time."""
    data, changed = blob.read_bytes(), blob.stat().st_mtime_ns
    middle = len(data) // 2
    blob.write_bytes(
        data[:middle] + bytes(byte ^ 255 for byte in data[middle : middle + 4]) + data[middle + 4 :]
    )
    os.utime(blob, ns=(changed, changed))


@pytest.mark.parametrize("damage", [cut, flipped, empty])
def test_a_damaged_copy_is_replaced_while_the_session_exists(claude: Claude, damage: Destroyer) -> None:
    before = claude.rows()
    copied = claude.keeping.keep()
    for blob in Path(claude.copies.blobs).iterdir():
        damage(blob)
    again = Keeping(claude, claude, lambda: NOW, claude.changed.extend)
    assert sorted(again.keep()) == sorted(copied)
    assert not again.keep()
    claude.delete_all()
    assert_listed_as_before(claude, claude.opened(), before)


@pytest.mark.parametrize("damage", [flipped, zeros])
def test_a_damaged_copy_is_replaced_though_the_limit_is_reached(claude: Claude, damage: Destroyer) -> None:
    copied = claude.keeping.keep()
    used = claude.copies.size
    (claude.root / "projects" / "-new").mkdir()
    first = next(claude.root.glob("projects/*/*.jsonl"))
    new = claude.root / "projects" / "-new" / "6818f698-92ae-454b-940b-ab9d0556a49e.jsonl"
    new.write_bytes(first.read_bytes().replace(b"uuid", b"uuid ") + first.read_bytes()[::-1])
    os.utime(new, ((NOW - 60 * DAY_MS) / 1000,) * 2)
    for blob in Path(claude.copies.blobs).iterdir():
        damage(blob)
    claude.settings = msgspec.structs.replace(claude.settings, keep_max_bytes=used + 10)
    claude.history.refresh()
    again = Keeping(claude, claude, lambda: NOW, claude.changed.extend)
    assert sorted(again.keep()) == sorted(copied)
    assert all(is_sound(str(blob)) for blob in Path(claude.copies.blobs).iterdir())
    assert claude.copies.size <= used + 10


def test_checking_a_copy_ends_when_the_sidecar_does(claude: Claude, monkeypatch: pytest.MonkeyPatch) -> None:
    claude.keeping.keep()
    again = Keeping(claude, claude, lambda: NOW, claude.changed.extend)
    monkeypatch.setattr(again._soundness, "_is_stopped", lambda: True)
    assert again.keep() == []
    assert len(again._soundness._known) == 0


def test_the_doctor_names_damaged_copies_without_an_original(claude: Claude) -> None:
    claude.keeping.keep()
    claude.rows()
    lost, other = [row.id for row in claude.history.list()][:2]
    for name in (lost, other):
        flipped(Path(claude.copies.blob(claude.copies.sessions()[name].files[0])))
    (claude.root / claude.copies.sessions()[lost].files[0].path).unlink()
    claude.history.refresh()
    found = [each for each in examine(claude.history, NOW).findings if each.task_id == lost]
    assert [each.code for each in found] == ["damagedCopy"]
    assert other not in {each.task_id for each in examine(claude.history, NOW).findings}


@pytest.mark.parametrize("lines", [None, 0, 2], ids=["missing", "empty", "shortened"])
def test_the_only_copies_stay_though_the_list_does_not_name_them(claude: Claude, lines: int | None) -> None:
    claude.keeping.keep()
    before = claude.rows()
    claude.delete_all()
    path = Path(claude.copies.list)
    whole = path.read_bytes()
    path.unlink() if lines is None else path.write_bytes(b"".join(whole.splitlines(True)[:lines]))
    generate(claude.root, 1)
    claude.age(40)
    for _ in range(2):
        claude.history = claude.opened()
        claude.keeping = Keeping(claude, claude, lambda: NOW, claude.changed.extend)
        claude.keeping.keep()
    (found,) = (each for each in examine(claude.history, NOW).findings if each.code == "lostCopies")
    assert found.path == claude.copies.list
    (unlisted,) = claude.history.page().unlisted
    assert unlisted.path == claude.copies.list
    assert "restore the list" in unlisted.message
    path.write_bytes(path.read_bytes() + whole)
    claude.history = claude.opened()
    assert {name: claude.rows()[name].kept for name in before} == dict.fromkeys(before, True)
    assert not claude.history.page().unlisted


def test_sessions_whose_copied_files_are_missing_are_reported_once_the_originals_are_gone(
    claude: Claude,
) -> None:
    claude.keeping.keep()
    count = len(claude.copies.sessions())
    shutil.rmtree(claude.copies.blobs)
    for is_gone in (False, True):
        if is_gone:
            claude.delete_all()
        claude.history = claude.opened()
        unlisted = claude.history.page().unlisted
        findings = [each for each in examine(claude.history, NOW).findings if each.code == "missingCopies"]
        paths = [each.path for each in findings] + [each.path for each in unlisted]
        assert paths == [claude.copies.blobs] * 2 * is_gone
        assert all(f"copied files of {count} kept sessions are missing" in each.message for each in findings)


@pytest.mark.parametrize("is_older", [False, True])
def test_a_damaged_first_line_of_the_list_hides_no_session(claude: Claude, is_older: bool) -> None:
    claude.keeping.keep()
    before = claude.rows().keys()
    claude.delete_all()
    path = Path(claude.copies.list)
    head, *lines = path.read_bytes().splitlines(True)
    if is_older:
        lines = [line.partition(b',"root":')[0] + b"}\n" for line in lines]
    path.write_bytes(b"".join((head.replace(b"root", b"rook"), *lines)))
    claude.history = claude.opened()
    assert claude.rows().keys() == before


@pytest.mark.parametrize("is_known", [True, False])
def test_copies_of_an_unknown_store_are_reported(claude: Claude, is_known: bool) -> None:
    claude.keeping.keep()
    claude.delete_all()
    Path(claude.copies.list).unlink()
    roots = [claude.root] if is_known else []
    history = TaskHistory(roots, now=lambda: NOW, kept=claude.own.kept)
    (found,) = (each for each in examine(history, NOW).findings if each.code == "lostCopies")
    assert found.path == claude.copies.list
    assert ("does not tell their store" in found.message) is not is_known


def test_a_list_that_cannot_be_read_ends_no_round(claude: Claude, caplog: pytest.LogCaptureFixture) -> None:
    Path(claude.copies.list).mkdir(parents=True)
    assert claude.keeping.keep() == []
    assert f"no copies of sessions of {claude.root}" in caplog.text


def test_everything_of_a_deleted_session_can_be_read(claude: Claude) -> None:
    rows = claude.rows()
    texts = {name: export(claude.history, name, "markdown").text for name in rows}
    files = {name: claude.history.files.files(row) for name, row in rows.items()}
    totals = stats(claude.history, StatsParams(), "structural").totals
    assert any(files.values())
    assert stats(claude.history, StatsParams(), "structural").due_deletion is not None
    claude.keeping.keep()
    assert stats(claude.history, StatsParams(), "structural").due_deletion is None
    claude.delete_all()
    history = claude.history = claude.opened()
    assert {name: export(history, name, "markdown").text for name in claude.rows()} == texts
    assert {name: history.files.files(row) for name, row in claude.rows().items()} == files
    assert stats(history, StatsParams(), "structural").totals == totals
    assert {row.id for row in history.list(query="kept:true")} == {row.id for row in history.list()}
    assert not history.list(query="kept:false")
    some = next(iter(rows))
    assert history.get(some)[0].kept and history.messages(some).total


def test_deleted_sessions_are_found_by_a_search(claude: Claude) -> None:
    claude.keeping.keep()
    claude.delete_all()
    claude.history = claude.opened()
    for root in claude.history.roots:
        update(claude.path / "search", root.path, str(claude.own.kept))
    service = SearchService(claude.path / "search", wait_seconds=60)
    try:
        result = service.search(claude.history, SearchParams(text="parser"))
        assert result.hits and result.indexed == result.total
    finally:
        service.close()


def test_copies_are_small_and_the_store_is_not_written(claude: Claude) -> None:
    before = snapshot(claude.root)
    claude.keeping.keep()
    assert snapshot(claude.root) == before
    raw = sum(file.size for session in claude.copies.sessions().values() for file in session.files)
    kept = sum(path.stat().st_size for path in claude.own.kept.rglob("*") if path.is_file())
    assert raw > 100_000
    assert kept <= 0.35 * raw


def test_only_what_is_due_is_copied_and_only_once(claude: Claude) -> None:
    claude.age(15)
    assert not claude.keeping.keep()
    claude.age(17)
    claude.history.refresh()
    assert claude.keeping.keep()
    assert not claude.keeping.keep()
    claude.age(16.5)  # as if the product had written to them again
    claude.history.refresh()
    assert claude.keeping.keep()


def test_nothing_is_copied_without_the_setting_or_for_a_product_that_deletes_nothing(claude: Claude) -> None:
    for keep in ([], ["codex", "gemini"]):
        claude.settings = HistorySettings(keep=keep)  # type: ignore[arg-type]
        assert not claude.keeping.keep()
    assert not claude.own.kept.exists()


def test_copies_end_at_the_limit(claude: Claude, caplog: pytest.LogCaptureFixture) -> None:
    claude.settings = HistorySettings(keep=["claude"], keep_max_bytes=9_000)
    copied = claude.keeping.keep()
    assert copied and claude.copies.size <= 9_000
    assert not claude.keeping.keep()
    assert caplog.text.count("raise history.keepMaxBytes") == 1


def test_a_limit_that_is_raised_and_reached_again_is_logged_again(
    claude: Claude, caplog: pytest.LogCaptureFixture
) -> None:
    claude.settings = HistorySettings(keep=["claude"], keep_max_bytes=9_000)
    claude.keeping.keep()
    claude.settings = HistorySettings(keep=["claude"])
    assert claude.keeping.keep()
    assert stats(claude.history, StatsParams(), "structural").due_deletion is None
    for path in claude.root.rglob("*.jsonl"):
        with path.open("a") as file:
            file.write("\n")
    claude.age(39)
    claude.settings = HistorySettings(keep=["claude"], keep_max_bytes=9_000)
    assert not claude.keeping.keep()
    assert caplog.text.count("raise history.keepMaxBytes") == 2


def test_a_full_disk_ends_the_round_and_is_logged_once(
    claude: Claude, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(writing, "draft_blob", full)
        assert claude.keeping.keep() == []
    assert caplog.text.count("No space left on device") == 1
    due = stats(claude.history, StatsParams(), "structural").due_deletion
    assert due is not None and due.tasks == len(claude.history.list())
    assert claude.keeping.keep()
    assert stats(claude.history, StatsParams(), "structural").due_deletion is None


def test_a_session_whose_file_has_no_time_is_announced_and_copied(claude: Claude) -> None:
    for file in claude.root.rglob("*.jsonl"):
        os.utime(file, (0, 0))
    due = stats(claude.history, StatsParams(), "structural").due_deletion
    assert due is not None
    assert (due.tasks, due.first_at) == (len(claude.history.list()), 30 * DAY_MS)
    claude.keeping.keep()
    assert stats(claude.history, StatsParams(), "structural").due_deletion is None


def test_a_kept_session_is_not_announced_as_due(claude: Claude) -> None:
    codes = [each.code for each in examine(claude.history, NOW).findings]
    claude.keeping.keep()
    after = [each.code for each in examine(claude.history, NOW).findings]
    assert "dueDeletion" in codes and "dueDeletion" not in after


def test_deleting_removes_the_copy_only(claude: Claude) -> None:
    claude.keeping.keep()
    one, other = [row.id for row in claude.history.list()][:2]
    house = Housekeeping(
        claude.own, claude, claude, claude, lambda: NOW, lambda ids: _done(), claude.keeping.remove
    )
    assert house.apply("delete", [one]).done == [one]
    assert claude.rows()[one].kept is None and claude.keeping.still_listed([one]) == [one]
    assert one not in claude.keeping.keep(), "it was deleted on purpose and did not change since"
    claude.delete_all()
    assert house.apply("delete", [other]).done == [other]
    claude.history.refresh()
    assert not claude.rows().keys() & {one, other} and not claude.keeping.still_listed([one, other])
    assert [failed.code for failed in house.apply("delete", [other]).failed] == [-32010]
    assert [failed.code for failed in house.apply("restore", [other]).failed] == [-32010]


def test_a_session_that_changed_before_its_copy_was_deleted_is_not_copied_again(claude: Claude) -> None:
    claude.keeping.keep()
    one = claude.history.list()[0].id
    (file,) = (claude.root / each.path for each in claude.copies.sessions()[one].files)
    with file.open("ab") as opened:
        opened.write(file.read_bytes().splitlines(True)[-1].replace(b'"uuid":"', b'"uuid":"f'))
    os.utime(file, ((NOW - DAY_MS) / 1000,) * 2)
    claude.history.refresh()
    assert claude.keeping.remove(claude.history.roots[1], one)
    claude.history = claude.opened()
    later = Keeping(claude, claude, lambda: NOW + 30 * DAY_MS, claude.changed.extend)
    assert one not in later.keep()


def test_deleted_content_that_is_left_is_an_error_and_removed_at_the_next_start(
    claude: Claude, monkeypatch: pytest.MonkeyPatch
) -> None:
    claude.keeping.keep()
    one = claude.history.list()[0].id
    before = len(claude.copies.entries())
    with monkeypatch.context() as patched:
        patched.setattr(writing.CopyWriter, "_unlink", lambda *_: [])
        with pytest.raises(StorageError, match="copied content could not be removed"):
            claude.keeping.remove(claude.history.roots[1], one)
    assert len(claude.copies.entries()) == before
    assert Keeping(claude, claude, lambda: NOW, claude.changed.extend).keep() == []
    assert len(claude.copies.entries()) < before


def test_a_deletion_that_failed_half_way_can_be_repeated(
    claude: Claude, monkeypatch: pytest.MonkeyPatch
) -> None:
    claude.keeping.keep()
    rows = claude.rows()
    parent = next(row.parent_id for row in rows.values() if row.parent_id)
    family = {
        parent,
        *(row.id for row in rows.values() if row.parent_id == parent),
    } & claude.copies.sessions().keys()
    assert len(family) > 1
    root, full = claude.history.roots[1], OSError(errno.ENOSPC, "no space left on device")
    with monkeypatch.context() as patched:
        patched.setattr(list_file, "append", Mock(side_effect=[DEFAULT, full], wraps=list_file.append))
        with pytest.raises(StorageError, match="no space left"):
            claude.keeping.remove(root, parent)
    assert parent in claude.copies.sessions()
    assert claude.keeping.remove(root, parent)
    assert not family & claude.copies.sessions().keys()
    assert {entry.name for entry in claude.copies.entries()} == {
        file.blob for each in claude.copies.sessions().values() for file in each.files
    }


def test_a_session_that_got_a_file_before_its_copy_was_deleted_is_not_copied_again(claude: Claude) -> None:
    claude.keeping.keep()
    one = claude.history.list()[0].id
    (file,) = (claude.root / each.path for each in claude.copies.sessions()[one].files)
    other = claude.root / "projects" / "-elsewhere" / file.name
    other.parent.mkdir()
    other.write_bytes(file.read_bytes().splitlines(True)[-1].replace(b'"uuid":"', b'"uuid":"f'))
    os.utime(other, ((NOW - DAY_MS) / 1000,) * 2)
    claude.history.refresh()
    assert claude.keeping.remove(claude.history.roots[1], one)
    claude.history = claude.opened()
    later = Keeping(claude, claude, lambda: NOW + 30 * DAY_MS, claude.changed.extend)
    assert one not in later.keep()


def test_a_copy_with_missing_files_can_be_given_up(claude: Claude) -> None:
    claude.keeping.keep()
    one = claude.history.list()[0].id
    (file, *_) = claude.copies.sessions()[one].files
    claude.delete_all()
    Path(claude.copies.blob(file)).unlink()
    claude.history = claude.opened()
    assert [*claude.copies.missing()] == [one]
    assert claude.keeping.remove(claude.history.roots[1], one)
    assert not claude.copies.missing() and claude.copies.loss() is None


@pytest.mark.parametrize("destroy", DESTROYERS)
def test_a_copy_replaces_one_destroyed_file_of_a_session(claude: Claude, destroy: Destroyer) -> None:
    one = claude.history.list()[0].id
    (first,) = (path for path in claude.root.rglob("*.jsonl") if path.stem == one)
    other = claude.root / "projects" / "-elsewhere" / first.name
    other.parent.mkdir()
    other.write_bytes(first.read_bytes().splitlines(True)[-1].replace(b'"uuid":"', b'"uuid":"f'))
    claude.age(40)
    claude.history.refresh()
    claude.keeping.keep()
    before = claude.rows()[one]
    destroy(first)
    claude.history.touch(str(claude.root), [one])
    for history in (claude.history, claude.opened()):
        claude.history = history
        assert plain(claude.rows()[one]) == plain(before)


async def _done() -> None:
    return


async def test_rounds_copy_and_notify(claude: Claude) -> None:
    await claude.keeping._round()
    assert set(claude.changed) == claude.copies.sessions().keys()
    await claude.keeping.aclose()
