"""Node as a child that answers with what the implementation guide makes of two message files."""

import base64
import json
import math
import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from sidecar.history.stores.task_folders.guide.extract import GuideFields
from sidecar.javascript.values import well_formed

SCRIPT = Path(__file__).with_name("list_tasks.mjs")
NOW_MS = 1_776_254_400_000
"""2026-04-15T12:00:00Z."""

Answers = list[tuple[bytes, list[dict[str, Any]]]]
"""A text and a list of tasks for each filter."""


class Oracle:
    """The guide under Node. `judge` asks a child that stays; the listings start their own."""

    def __init__(self) -> None:
        self._env = {**os.environ, "TZ": "UTC", "SIDECAR_NOW_MS": str(NOW_MS)}
        self._child = subprocess.Popen(
            ["node", SCRIPT, "serve"], env=self._env, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def judge(self, ui: bytes, api: bytes) -> tuple[dict[str, Any] | None, str | None]:
        """Return the guide's task as JSON and its text, or None twice for a dropped one."""
        assert self._child.stdin and self._child.stdout
        request = {"ui": base64.b64encode(ui).decode(), "api": base64.b64encode(api).decode()}
        self._child.stdin.write(json.dumps(request).encode() + b"\n")
        self._child.stdin.flush()
        task, text = json.loads(self._child.stdout.readline())
        return task, text

    def list(self, root: Path, filter: str = "") -> list[dict[str, Any]]:
        """Return the guide's list of a root."""
        tasks: list[dict[str, Any]] = json.loads(self._run("json", root, filter))
        return tasks

    def text(self, root: Path, filter: str = "") -> bytes:
        """Return the guide's text of a root, as written."""
        return self._run("text", root, filter)

    def answers(self, root: Path, filters: Sequence[str]) -> Answers:
        """Return the text and the list of a root for each filter."""
        found = json.loads(self._run("all", root, json.dumps(filters)))
        return [(well_formed(text).encode(), tasks) for text, tasks in found]

    def _run(self, command: str, root: Path, filter: str) -> bytes:
        return subprocess.run(
            ["node", SCRIPT, command, root, filter],
            env=self._env,
            check=True,
            capture_output=True,
            timeout=120,
        ).stdout

    def close(self) -> None:
        """End the child."""
        self._child.communicate(timeout=10)


@pytest.fixture(scope="session")
def oracle() -> Iterator[Oracle]:
    running = Oracle()
    yield running
    running.close()


def as_json(fields: GuideFields) -> dict[str, Any]:
    """Spell the fields as the guide's JSON does: NaN and infinity are null, undefined is left out."""
    mode = {"current": fields.mode_current, "name": fields.mode_name}
    task = {
        "createdAt": _number(fields.created_at),
        "lastActivity": _number(fields.last_activity),
        "status": fields.status,
        "title": fields.title,
        "mode": {name: value for name, value in mode.items() if value is not None},
        "tokenUsage": {"total": _number(fields.tokens_total), "cost": _number(fields.cost)},
        "messageCount": fields.message_count,
    }
    if fields.duration is not None:
        task["duration"] = _number(fields.duration)
    if fields.workspace_dir is not None:
        task["workspaceDir"] = fields.workspace_dir
    return task


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None
