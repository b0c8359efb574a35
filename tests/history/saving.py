"""A writer that saves tasks without pause, as the products do: `python -m tests.history.saving ROOT ID…`.

Each save of a task carries one number in all its values, so that a reader can tell a mixture of two saves.
"""

import itertools
import json
import sys
import time
from pathlib import Path
from typing import Any

AWAY_SECONDS = 0.02
"""How long a slow disk takes between two renames: more than a scan waits for a file to come back."""
FIRST_MS = 1_776_000_000_000
UI, API = "ui_messages.json", "api_conversation_history.json"


def contents(number: int) -> dict[str, bytes]:
    """The files of a task at its save of that number; the title never changes."""
    prompt = {"ts": FIRST_MS, "type": "say", "say": "text", "text": "steady"}
    usage = {"ts": FIRST_MS + number, "type": "say", "say": "api_req_started"}
    numbers = {"tokensIn": number, "tokensOut": 0, "cost": 1}
    filling = {"ts": FIRST_MS + number, "type": "say", "say": "reasoning", "text": "x" * 20_000}
    ui: list[dict[str, Any]] = [prompt, {**usage, "text": json.dumps(numbers)}, filling]
    api = [{"role": "user", "ts": FIRST_MS, "content": [{"type": "text", "text": "<task>\nsteady\n</task>"}]}]
    return {UI: json.dumps(ui).encode(), API: json.dumps(api).encode()}


def save_like_roo(folder: Path, name: str, data: bytes, number: int) -> None:
    """Save in the six steps of Roo, Zoo and Kilo."""
    lock = folder / f"{name}.lock"
    new, old = folder / f".{name}.new_{number}_a.tmp", folder / f".{name}.bak_{number}_a.tmp"
    lock.mkdir()
    with new.open("wb") as stream:
        stream.write(data[: len(data) // 2])
        stream.flush()
        stream.write(data[len(data) // 2 :])
    (folder / name).rename(old)
    if number % 3 == 0:
        time.sleep(AWAY_SECONDS)
    new.rename(folder / name)
    old.unlink()
    lock.rmdir()


def save_like_cline(folder: Path, name: str, data: bytes, number: int) -> None:
    """Save as Cline does: rename a whole file over the old one."""
    new = folder / f"{name}.tmp.{number}.a.json"
    new.write_bytes(data)
    new.replace(folder / name)


def main(root: str, *task_ids: str) -> None:
    """Save all tasks again and again until killed."""
    for number in itertools.count(2):
        for place, task_id in enumerate(task_ids):
            save = save_like_cline if place % 5 == 0 else save_like_roo
            for name, data in contents(number).items():
                save(Path(root, "tasks", task_id), name, data, number)


if __name__ == "__main__":
    main(*sys.argv[1:])
