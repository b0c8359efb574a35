"""Changes of whole roots."""

import shutil

from tests.e2e.agreement.place import Change, Expected, Place, ui
from tests.history.saving import UI


def root_deleted(at: Place) -> Expected:
    shutil.rmtree(at.root)
    return set(), {}


def root_renamed(at: Place) -> Expected:
    at.root.rename(at.base / "away")
    return set(), {}


def root_renamed_and_back(at: Place) -> Expected:
    at.root.rename(at.base / "away")
    (at.base / "away" / "tasks" / at.old / UI).write_bytes(ui("while it was away"))
    (at.base / "away").rename(at.root)
    return at.ids, {at.old: {"title": "while it was away"}}


def root_replaced(at: Place) -> Expected:
    at.root.rename(at.base / "away")
    at.other.rename(at.root)
    return at.other_ids, {}


def root_deleted_and_made_again(at: Place) -> Expected:
    shutil.rmtree(at.root)
    at.other.rename(at.root)
    return at.other_ids, {}


def root_replaced_by_a_link(at: Place) -> Expected:
    at.root.rename(at.base / "away")
    at.root.symlink_to(at.other)
    return at.other_ids, {}


def parent_renamed(at: Place) -> Expected:
    at.base.rename(at.home / "gone")
    return set(), {}


def tasks_deleted(at: Place) -> Expected:
    shutil.rmtree(at.tasks)
    return set(), {}


def tasks_replaced(at: Place) -> Expected:
    at.tasks.rename(at.root / "away")
    (at.other / "tasks").rename(at.tasks)
    return at.other_ids, {}


def tasks_replaced_by_a_file(at: Place) -> Expected:
    at.tasks.rename(at.root / "away")
    at.tasks.touch()
    return set(), {}


def tasks_unreadable(at: Place) -> Expected:
    at.tasks.chmod(0)
    return set(), {}


def root_unreadable(at: Place) -> Expected:
    at.root.chmod(0)
    return set(), {}


CHANGES: tuple[Change, ...] = (
    root_deleted,
    root_renamed,
    root_renamed_and_back,
    root_replaced,
    root_deleted_and_made_again,
    root_replaced_by_a_link,
    parent_renamed,
    tasks_deleted,
    tasks_replaced,
    tasks_replaced_by_a_file,
    tasks_unreadable,
    root_unreadable,
)
