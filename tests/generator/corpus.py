"""Write generated tasks as folders, with the truth about each."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from random import Random
from statistics import NormalDist
from typing import Any

from tests.generator.eras import ERAS, Era
from tests.generator.story import ENDINGS, NOW_MS, UNDER_WAY, Story

_DAY = 86_400_000
_OUTCOMES = {
    "prompt": "unknown",
    "answered": "completed",
    "mistakes": "failed",
    "retried": "failed",
    "cancelled_tool": "cancelled",
    "broken": "failed",
    "broken_tool": "failed",
}
_MEDIAN_BYTES, _SPREAD = 165_000, 1.72
_FIXED = {"completed": "completed", "failed": "failed"}


@dataclass(frozen=True)
class Task:
    """A written task: `truth` holds the wire names of TaskInfo in snake case, its nested parts flat.

    `stated` is the newest time, in ms, that an environment block states; None if no request was sent to the
    model.
    """

    root: Path
    id: str
    truth: dict[str, Any]
    stated: int | None

    @property
    def folder(self) -> Path:
        return self.root / "tasks" / self.id


def generate(root: Path, era: Era, count: int, seed: int = 1, padding: int = 200) -> list[Task]:
    """Write `count` tasks of one era under `root`, with each ending in turn; a seed gives the same bytes."""
    random = Random(f"{seed}/{era.name}")
    stories = [Story(era, random, ENDINGS[index % len(ENDINGS)], padding) for index in range(count)]
    if era.history_item:
        _relate(stories)
    tasks = [_write(root, story) for story in stories]
    if era.shared_list:
        _write_json(root / "state" / "taskHistory.json", [_entry(story) for story in stories])
    return tasks


def sized(
    root: Path, count: int, bytes_per_task: int, seed: int = 1, eras: Sequence[Era] = ERAS
) -> list[Task]:
    """Write one root of `count` tasks of about `bytes_per_task` message bytes, eras mixed, for benchmarks."""
    random = Random(f"{seed}/sized")
    turns, overhead = 3, 6_000
    padding = max(50, (bytes_per_task - overhead) // (turns * 2))
    tasks = []
    for index in range(count):
        era = eras[index % len(eras)]
        tasks.append(_write(root, Story(era, random, ENDINGS[index % 6], padding, turns)))
    return tasks


def realistic(root: Path, count: int, seed: int = 1, eras: Sequence[Era] = ERAS) -> list[Task]:
    """Write one root of tasks with realistic sizes: median 165 KB, 5 % above 2.8 MB, the largest 50 MB.

    A bigger task has more turns, not bigger ones: each reads a file of some 20 KB full of terminal colors.
    """
    random = Random(f"{seed}/realistic")
    spread = NormalDist(math.log(_MEDIAN_BYTES), _SPREAD)
    sizes = [math.exp(spread.inv_cdf((index + 0.5) / count)) for index in range(count)]
    random.shuffle(sizes)
    tasks = []
    for index, size in enumerate(sizes):
        era = eras[index % len(eras)]
        copies = 2 if era.keeps_request else 1  # such an era has the sent messages in both files
        padding = min(20_000, int(size) // (2 * copies))
        turns = max(1, round(size / (padding * copies)))
        tasks.append(_write(root, Story(era, random, ENDINGS[index % 6], padding, turns)))
    return tasks


def _relate(stories: Sequence[Story]) -> None:
    """Make each task the child of the previous one that delegated work."""
    for story, following in pairwise(stories):
        if story.ending == "delegated":
            story.child, following.parent = following.id, story.id


def _write(root: Path, story: Story) -> Task:
    folder = root / "tasks" / story.id
    ui = _write_json(folder / "ui_messages.json", story.ui)
    api = _write_json(folder / "api_conversation_history.json", story.api) if story.api else 0
    if story.era.history_item:
        _write_json(folder / "history_item.json", _entry(story))
    if story.era.product == "cline":
        used = [{"ts": story.start, "model_id": story.model, "model_provider_id": "p", "mode": story.mode[0]}]
        _write_json(folder / "task_metadata.json", {"files_in_context": [], "model_usage": used}, indent=2)
    return Task(root, story.id, _truth(story) | {"size_bytes": ui + api}, story.stated)


def _truth(story: Story) -> dict[str, Any]:
    usage, last = story.usage, story.time
    outcome = _outcome(story)
    asked = story.ending != "prompt"
    listed = story.era.history_item
    known = asked or story.era.product == "cline"
    return {
        "id": story.id,
        "product": story.era.product,
        "title": " ".join(story.prompt.split()),
        "created_at": story.start,
        "last_activity": last,
        "duration": last - story.start,
        "outcome": outcome,
        "status": _FIXED.get(outcome) or _by_age(NOW_MS - last),
        "mode_current": story.mode[0] if asked or known or listed else None,
        "mode_name": story.mode[1] if asked or known else None,
        "input": usage["tokensIn"] if asked else None,
        "output": usage["tokensOut"] if asked else None,
        "total": usage["tokensIn"] + usage["tokensOut"] if asked else None,
        "cache_writes": usage["cacheWrites"] if asked else None,
        "cache_reads": usage["cacheReads"] if asked else None,
        "cost": usage["cost"] + story.extra_cost if asked else None,
        "message_count": len(story.api),
        "ui_message_count": len(story.ui),
        "workspace_dir": story.workspace if asked or listed or story.era.shared_list else None,
        "model": story.model if asked or known else None,
        "favorite": False,
        "parent_id": story.parent,
        "root_id": story.parent,
        "child_ids": story.child,
    }


def _outcome(story: Story) -> str:
    if story.ending in UNDER_WAY:
        under_way = not story.opened and NOW_MS - story.time < _DAY
        return "streaming" if under_way else UNDER_WAY[story.ending]
    return _OUTCOMES.get(story.ending, story.ending)


def _entry(story: Story) -> dict[str, Any]:
    usage = story.usage
    entry = {
        "id": story.id,
        "ts": story.time,
        "task": story.prompt,
        "tokensIn": usage["tokensIn"],
        "tokensOut": usage["tokensOut"],
        "cacheWrites": usage["cacheWrites"],
        "cacheReads": usage["cacheReads"],
        "totalCost": usage["cost"] + story.extra_cost,
    }
    if story.era.shared_list:
        return entry | {
            "cwdOnTaskInitialization": story.workspace,
            "isFavorited": False,
            "modelId": story.model,
        }
    status = {"status": "delegated"} if story.ending == "delegated" else {}
    relatives: dict[str, Any] = {"childIds": [story.child]} if story.child else {}
    if story.parent:
        relatives |= {"parentTaskId": story.parent, "rootTaskId": story.parent}
    return entry | {"number": 1, "workspace": story.workspace, "mode": story.mode[0]} | status | relatives


def _by_age(age: int) -> str:
    if age < _DAY:
        return "active"
    return "abandoned" if age > 7 * _DAY else "unknown"


def _write_json(path: Path, value: Any, indent: int | None = None) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    separators = None if indent else (",", ":")
    data = json.dumps(value, ensure_ascii=False, indent=indent, separators=separators).encode()
    return path.write_bytes(data)
