"""A root of 2,000 tasks that a test changes, and what the lists must show afterwards."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

from tests.history.saving import UI

TASKS = 2_000
OTHERS = 500
WATCHED = 500
"""The newest tasks are watched; the others are old enough to be found by the sweep alone."""
NEW_ID = "11111111-1111-4111-8111-111111111111"


class Place:
    """A root of 2,000 tasks, another one next to it, and two tasks of the root: a watched and an old one."""

    def __init__(self, home: Path, corpora: Path) -> None:
        self.home = home
        self.base = home / "base"
        self.root, self.other = self.base / "root", self.base / "other"
        for root in (self.root, self.other):
            # Links cost no time. No change below writes into a file that is linked.
            shutil.copytree(corpora / root.name, root, copy_function=os.link)
        self.tasks = self.root / "tasks"
        self.ids = {path.name for path in self.tasks.iterdir()}
        self.other_ids = {path.name for path in (self.other / "tasks").iterdir()}
        by_age = sorted(self.ids, key=lambda name: (self.tasks / name / UI).stat().st_mtime)
        self.old, self.new = by_age[0], by_age[-1]
        unwatched = [path.name for path in self.tasks.iterdir() if path.name in by_age[:-WATCHED]]
        self.some = [self.new, self.old, *unwatched[:: TASKS // 20]]
        """A watched task, and old ones from all over the folder."""
        for name in {*self.some}:
            self.unlink_from_corpus(name)

    def unlink_from_corpus(self, name: str) -> None:
        """Make a task's files its own."""
        for file in (self.tasks / name).iterdir():
            kept = file.with_name("kept")
            shutil.copy2(file, kept)
            kept.replace(file)


def ui(title: str, number: int = 1) -> bytes:
    message = {"ts": 1_776_247_196_051 + number, "type": "say", "say": "text", "text": title}
    return json.dumps([message]).encode()


# What is expected after a change: the ids that are listed, and some of the values of some tasks.
Expected = tuple[set[str], dict[str, dict[str, object]]]
Change = Callable[[Place], Expected]
