"""Whatever happens to a root, a list from the index is the list of a fresh look at every file."""

import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from hypothesis.strategies import booleans, integers, sampled_from

from sidecar.api.stored.tasks import Rules, TaskInfo
from sidecar.history import TaskHistory

NOW = 1_776_254_400_000
DAY = 86_400_000
IDS = [
    "3f2b8c1e-5d4a-4f6b-9c7d-8e9f0a1b2c3d",
    "0198c1e0-0000-7000-8000-000000000000",
    f"{NOW + 2 * DAY}",
    f"{NOW - DAY}",
    "not-a-task",
]
FILES = ["ui_messages.json", "api_conversation_history.json", "history_item.json", "task_metadata.json"]
TASKS, NAMES, WORDS = sampled_from(IDS), sampled_from(FILES), integers(0, 3)
RULES: tuple[Rules, ...] = ("structural", "guide")


class IndexedRoot(RuleBasedStateMachine):
    """Two processes with one index between them, and a third without one as the measure."""

    @initialize()
    def begin(self) -> None:
        self.home = Path(tempfile.mkdtemp())
        self.root, self.now, self.saves = self.home / "root", NOW, 0
        (self.root / "tasks").mkdir(parents=True)
        self.histories = [self.opened(), self.opened()]

    def opened(self) -> TaskHistory:
        return TaskHistory([self.root], now=lambda: self.now, cache=self.home / "cache")

    @rule(task=TASKS, name=NAMES, word=WORDS, renamed=booleans())
    def write(self, task: str, name: str, word: int, renamed: bool) -> None:
        path = self.root / "tasks" / task / name
        if not path.parent.is_dir():
            return
        target = path.with_name(f".{name}.new_1_a.tmp") if renamed else path
        target.write_text(json.dumps(content(name, word)))
        self.saves += 1
        os.utime(target, ns=(self.saves * 1_000_000, NOW * 1_000_000 + self.saves * 1_000_000))
        target.replace(path)

    @rule(task=TASKS)
    def make_folder(self, task: str) -> None:
        (self.root / "tasks" / task).mkdir(exist_ok=True)

    @rule(task=TASKS, name=NAMES)
    def remove(self, task: str, name: str) -> None:
        (self.root / "tasks" / task / name).unlink(missing_ok=True)

    @rule(task=TASKS)
    def remove_folder(self, task: str) -> None:
        shutil.rmtree(self.root / "tasks" / task, ignore_errors=True)

    @rule(task=TASKS, other=TASKS)
    def rename_folder(self, task: str, other: str) -> None:
        here, there = (self.root / "tasks" / name for name in (task, other))
        if here.is_dir() and not there.exists():
            here.rename(there)

    @rule(task=TASKS, word=WORDS, cline=booleans())
    def list_it(self, task: str, word: int, cline: bool) -> None:
        entries = [content("history_item.json", word) | {"id": task}]
        path = self.root / ("state/taskHistory.json" if cline else "tasks/_index.json")
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(entries if cline else {"entries": entries}))
        self.saves += 1
        os.utime(path, ns=(0, self.saves))

    @rule(days=sampled_from([-3, 1, 2, 8]))
    def let_time_pass(self, days: int) -> None:
        self.now += days * DAY

    @rule(which=integers(0, 1), rules=sampled_from(RULES))
    def ask(self, which: int, rules: Rules) -> None:
        self.histories[which].list(rules=rules)

    @rule(which=integers(0, 1))
    def start_again(self, which: int) -> None:
        self.histories[which].close()
        self.histories[which] = self.opened()

    @rule()
    def damage_the_index(self) -> None:
        for path in (self.home / "cache").glob("*.db"):
            path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])

    @invariant()
    def lists_are_true(self) -> None:
        if not hasattr(self, "home"):
            return
        for rules in RULES:
            expected = TaskHistory([self.root], now=lambda: self.now).list(rules=rules)
            assert comparable(self.histories[0].list(rules=rules)) == comparable(expected)

    def teardown(self) -> None:
        if hasattr(self, "home"):
            shutil.rmtree(self.home)


def content(name: str, word: int) -> Any:
    ts = NOW - word * DAY
    if name == "ui_messages.json":
        asked = [{"ts": ts, "type": "ask", "ask": "completion_result"}] if word == 1 else []
        return [{"ts": ts, "type": "say", "say": "text", "text": f"prompt {word}"}, *asked]
    if name == "api_conversation_history.json":
        return [{"role": "user", "ts": ts, "content": f"<task>prompt {word}</task>"}] if word else []
    if name == "history_item.json":
        return {"task": f"entry {word}", "mode": f"mode{word}", "isFavorited": word > 1}
    return {"model_usage": [{"model_id": f"model{word}"}]}


def comparable(tasks: list[TaskInfo]) -> list[str]:
    """NaN is equal to itself here."""
    return [repr(task) for task in tasks]


TestIndexedRoot = IndexedRoot.TestCase
TestIndexedRoot.settings = settings(max_examples=30, stateful_step_count=25, deadline=None)
