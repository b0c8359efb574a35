"""Changes of the folders of tasks."""

import shutil

from tests.e2e.agreement.place import NEW_ID, Change, Expected, Place, ui
from tests.history.saving import UI


def folders_deleted(at: Place) -> Expected:
    for name in at.some:
        shutil.rmtree(at.tasks / name)
    return at.ids - {*at.some}, {}


def many_folders_deleted(at: Place) -> Expected:
    gone = {*sorted(at.ids)[:2_000]}
    for name in gone:
        shutil.rmtree(at.tasks / name)
    return at.ids - gone, {}


def folders_renamed(at: Place) -> Expected:
    (at.tasks / at.old).rename(at.tasks / NEW_ID)
    (at.tasks / at.new).rename(at.tasks / "no task")
    return at.ids - {at.old, at.new} | {NEW_ID}, {}


def folders_replaced(at: Place) -> Expected:
    for name, other in zip(at.some, sorted(at.other_ids), strict=False):
        (at.tasks / name).rename(at.base / name)
        (at.other / "tasks" / other).rename(at.tasks / name)
        (at.tasks / name / UI).unlink()
        (at.tasks / name / UI).write_bytes(ui("other"))
    return at.ids, {name: {"title": "other"} for name in at.some}


def folders_swapped(at: Place) -> Expected:
    for name in (at.old, at.new):
        (at.tasks / name / UI).write_bytes(ui(name))
    (at.tasks / at.old).rename(at.base / "away")
    (at.tasks / at.new).rename(at.tasks / at.old)
    (at.base / "away").rename(at.tasks / at.new)
    return at.ids, {at.old: {"title": at.new}, at.new: {"title": at.old}}


def folders_replaced_by_files(at: Place) -> Expected:
    for name in at.some:
        (at.tasks / name).rename(at.base / name)
        (at.tasks / name).touch()
    return at.ids - {*at.some}, {}


def folders_replaced_by_links(at: Place) -> Expected:
    for name in at.some:
        (at.tasks / name).rename(at.base / name)
        (at.tasks / name).symlink_to(at.base / name)
    return at.ids - {*at.some}, {}


def folders_emptied(at: Place) -> Expected:
    for name in at.some:
        for file in (at.tasks / name).iterdir():
            file.unlink()
    return at.ids - {*at.some}, {}


def folders_unreadable(at: Place) -> Expected:
    for name in at.some:
        (at.tasks / name).chmod(0)
    return at.ids, {name: {"title": "(messages cannot be read)"} for name in at.some}


def folders_made(at: Place) -> Expected:
    for number in range(300):
        folder = at.tasks / f"{number:08d}-1111-4111-8111-111111111111"
        folder.mkdir()
        (folder / UI).write_bytes(ui("made"))
        at.ids.add(folder.name)
    (at.tasks / NEW_ID).mkdir()  # no task
    return at.ids, {}


CHANGES: tuple[Change, ...] = (
    folders_deleted,
    many_folders_deleted,
    folders_renamed,
    folders_replaced,
    folders_swapped,
    folders_replaced_by_files,
    folders_replaced_by_links,
    folders_emptied,
    folders_unreadable,
    folders_made,
)
