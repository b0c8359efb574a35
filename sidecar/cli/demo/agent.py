"""A small agent without a model that works on files and reports each step as an event on a line.

Run as a file, `python demo_agent.py JOB [FOLDER]`, by a `command` runner with `format: "events"`; the goal
comes on stdin. It uses the standard library only, so that it starts at once and anywhere.
"""

import hashlib
import itertools
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

PACE_SECONDS = 0.12
"""The pause after each file, so that a person can watch."""
_MARKS = ("TODO", "FIXME")
_SKIPPED = {".git", ".venv", "node_modules", "__pycache__"}


def main(arguments: list[str]) -> int:
    """Do one job in a folder, by default the current one, and return the exit code."""
    job = JOBS.get(arguments[0]) if arguments else None
    if job is None:
        sys.stderr.write(f"name a job: {', '.join(JOBS)}\n")
        return 2
    folder = Path(arguments[1]) if len(arguments) > 1 else Path()
    goal = sys.stdin.read().strip().splitlines()
    if goal:
        emit("message", text=f"Goal: {goal[-1]}\n")
    job(folder)
    return 0


def inventory(folder: Path) -> None:
    """Count files and lines by kind and write INVENTORY.md."""
    lines: Counter[str] = Counter()
    files: Counter[str] = Counter()
    for path, text in read_files(folder):
        kind = path.suffix or "(none)"
        files[kind] += 1
        lines[kind] += text.count("\n")
        emit("message", text=f"{path.relative_to(folder)}: {text.count(chr(10))} lines\n")
    rows = [f"| {kind} | {files[kind]} | {lines[kind]} |" for kind in sorted(files)]
    write(folder / "INVENTORY.md", "\n".join(["| kind | files | lines |", "|---|---|---|", *rows, ""]))
    emit("emit", name="files", value=files.total())
    emit("emit", name="lines", value=lines.total())
    emit("result", text=f"{files.total()} files with {lines.total()} lines; see INVENTORY.md.")


def todos(folder: Path) -> None:
    """Collect the TODO marks in files and write TODO.md."""
    found = []
    for path, text in read_files(folder):
        for number, line in enumerate(text.splitlines(), 1):
            if any(mark in line for mark in _MARKS):
                found.append(f"- {path.relative_to(folder)}:{number}: {line.strip()}")
                emit("message", text=found[-1] + "\n")
    write(folder / "TODO.md", "\n".join(["# Open points", "", *found, ""]))
    emit("emit", name="open_points", value=len(found))
    emit("result", text=f"{len(found)} open points; see TODO.md.")


def watch(folder: Path) -> None:
    """Hash all files repeatedly until the run is stopped."""
    for turn in itertools.count(1):
        for path, text in read_files(folder):
            digest = hashlib.sha256(text.encode()).hexdigest()[:12]
            emit("message", text=f"pass {turn}: {path.relative_to(folder)} {digest}\n")


def read_files(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield the text files below a folder, reporting each read as a tool call."""
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or _SKIPPED.intersection(path.parts):
            continue
        emit("tool", name="read_file", status="started", path=str(path))
        text = path.read_text(errors="replace")
        time.sleep(PACE_SECONDS)
        emit("tool", name="read_file", status="completed")
        yield path, text


def write(path: Path, text: str) -> None:
    """Write a file and report it as a tool call."""
    emit("tool", name="write_file", status="started", path=str(path))
    path.write_text(text)
    emit("tool", name="write_file", status="completed")


def emit(type: str, **members: Any) -> None:
    """Write one event to stdout."""
    sys.stdout.write(json.dumps({"type": type, **members}) + "\n")
    sys.stdout.flush()


JOBS: dict[str, Callable[[Path], None]] = {
    "inventory": inventory,
    "todos": todos,
    "watch": watch,
}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
