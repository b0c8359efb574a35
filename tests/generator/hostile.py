"""The registry of damaged and hostile task folders, and what the functions that make them share."""

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from uuid import UUID

UI: Final = "ui_messages.json"
API: Final = "api_conversation_history.json"
START: Final = 1_770_000_000_000
PROMPT: Final = {"ts": START, "type": "say", "say": "text", "text": "Find the bug"}
DONE: Final = {"ts": START + 9_000, "type": "ask", "ask": "completion_result", "text": ""}
ASKED: Final = {
    "role": "user",
    "ts": START,
    "content": [{"type": "text", "text": "<task>\nFind the bug\n</task>"}],
}
ANSWERED: Final = {"role": "assistant", "ts": START + 8_000, "content": "Found."}

Make = Callable[[Path], None]


@dataclass(frozen=True)
class Hostile:
    """One kind of damage: `codes` are the problems that its row must have; none means an intact row.

    Folders that are not `listed` are not tasks.
    """

    name: str
    make: Make
    codes: frozenset[str]
    listed: bool = True


HOSTILE: Final[list[Hostile]] = []


def hostile(*codes: str, listed: bool = True) -> Callable[[Make], Make]:
    def register(make: Make) -> Make:
        HOSTILE.append(Hostile(make.__name__, make, frozenset(codes), listed))
        return make

    return register


def write_hostile(root: Path) -> dict[str, Hostile]:
    """Write every kind under `root`; kinds that the platform refuses are left out. Return them by id."""
    made = {}
    for number, kind in enumerate(HOSTILE):
        task_id = str(UUID(int=0xBAD << 100 | number, version=4))
        folder = root / "tasks" / task_id
        folder.mkdir(parents=True)
        try:
            kind.make(folder)
            made[task_id] = kind
        except (NotImplementedError, AttributeError):
            shutil.rmtree(folder)
    return made


def text(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


UI_BYTES: Final = text([PROMPT, DONE])
API_BYTES: Final = text([ASKED, ANSWERED])


def put(folder: Path, ui: bytes | None = UI_BYTES, api: bytes | None = API_BYTES) -> None:
    for name, data in ((UI, ui), (API, api)):
        if data is not None:
            (folder / name).write_bytes(data)
