"""Changes of the files of tasks."""

import os
import time

from tests.e2e.agreement.place import Change, Expected, Place, ui
from tests.history.saving import UI


def files_deleted(at: Place) -> Expected:
    for name in at.some:
        (at.tasks / name / UI).unlink()
    return at.ids, {name: {"codes": {"missing"}} for name in at.some}


def files_replaced(at: Place) -> Expected:
    for name in at.some:
        new = at.tasks / name / "new"
        new.write_bytes(ui("renamed in"))
        new.replace(at.tasks / name / UI)
    return at.ids, {name: {"title": "renamed in", "codes": set()} for name in at.some}


def files_overwritten(at: Place) -> Expected:
    for name in at.some:
        (at.tasks / name / UI).write_bytes(ui("in place"))
    return at.ids, {name: {"title": "in place", "codes": set()} for name in at.some}


def files_of_the_same_size_and_time(at: Place) -> Expected:
    for name in at.some:
        file = at.tasks / name / UI
        before, data = file.stat(), file.read_bytes()
        file.write_bytes(data.replace(b'"say"', b'"saY"'))
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
        assert file.stat().st_size == before.st_size
    return at.ids, {}


def files_of_the_past(at: Place) -> Expected:
    for name in at.some:
        (at.tasks / name / UI).write_bytes(ui("of the past"))
        os.utime(at.tasks / name / UI, (1, 1))
    return at.ids, {name: {"title": "of the past"} for name in at.some}


def files_of_the_future(at: Place) -> Expected:
    for name in at.some:
        (at.tasks / name / UI).write_bytes(ui("of the future"))
        os.utime(at.tasks / name / UI, (4e9, 4e9))
    return at.ids, {name: {"title": "of the future"} for name in at.some}


def files_unreadable(at: Place) -> Expected:
    for name in at.some:
        (at.tasks / name / UI).chmod(0)
    return at.ids, {name: {"codes": {"unreadable"}} for name in at.some}


def files_cut(at: Place) -> Expected:
    for name in at.some:
        file = at.tasks / name / UI
        os.truncate(file, file.stat().st_size - 5)
    return at.ids, {name: {"codes": {"cut"}} for name in at.some}


def files_blank(at: Place) -> Expected:
    for name in at.some:
        os.truncate(at.tasks / name / UI, 0)
    return at.ids, {name: {"codes": {"notMessages"}} for name in at.some}


def files_that_do_not_hold_json(at: Place) -> Expected:
    for name in at.some:
        (at.tasks / name / UI).write_bytes(ui("a title").replace(b"a title", b"a\0title"))
    return at.ids, {name: {"codes": {"malformed"}} for name in at.some}


def files_replaced_by_others(at: Place) -> Expected:
    for number, name in enumerate(at.some):
        file = at.tasks / name / UI
        file.unlink()
        (os.mkfifo if number % 2 else os.mkdir)(file)
    return at.ids, {}


def files_replaced_by_links(at: Place) -> Expected:
    for name in at.some:
        file = at.tasks / name / UI
        file.rename(at.base / name)
        file.symlink_to(at.base / name)
    return at.ids, {}


def files_being_saved(at: Place) -> Expected:
    """Stop in the middle of a save as Roo makes it, when the file itself is away."""
    titles: dict[str, dict[str, object]] = {}
    for name in at.some:
        folder, stamp = at.tasks / name, f"{time.time_ns() // 1_000_000}_a.tmp"
        (folder / f"{UI}.lock").mkdir()
        (folder / f".{UI}.new_{stamp}").write_bytes(ui("half a save"))
        (folder / UI).rename(folder / f".{UI}.bak_{stamp}")
        titles[name] = {"title": "half a save", "codes": set[str]()}
    return at.ids, titles


CHANGES: tuple[Change, ...] = (
    files_deleted,
    files_replaced,
    files_overwritten,
    files_of_the_same_size_and_time,
    files_of_the_past,
    files_of_the_future,
    files_unreadable,
    files_cut,
    files_blank,
    files_that_do_not_hold_json,
    files_replaced_by_others,
    files_replaced_by_links,
    files_being_saved,
)
