"""The equipped agent as a runner of a sidecar, and what it received."""

import json
import sys
from pathlib import Path
from typing import Any

from tests.e2e.conftest import REPO, Sidecar

Json = dict[str, Any]


def equipped(**behavior: Any) -> Json:
    """Return the setting of a runner with an agent that behaves so."""
    agent = [sys.executable, str(REPO / "tests" / "agents" / "equipped.py"), json.dumps(behavior)]
    return {"type": "acp", "command": agent}


def define(home: Path, *lines: str, body: str = "", name: str = "worker") -> Path:
    """Write a definition with these lines in its front matter and return its path."""
    path = home / "config" / "subagent-sidecar" / "agents" / f"{name}.md"
    path.write_text(
        "\n".join(["---", f"name: {name}", "description: x.", "runner: agent", *lines, "---", body])
    )
    return path


def received(sidecar: Sidecar, method: str) -> list[Json]:
    """Return the parameters of the requests of one method, in order."""
    lines = (sidecar.workspace / "requests.jsonl").read_text().splitlines()
    return [call["params"] for call in map(json.loads, lines) if call.get("method") == method]


async def run(sidecar: Sidecar, goal: str = "do it", **more: Any) -> Json:
    """Launch the definition `worker` and return the ended task."""
    (task,) = await sidecar.ended(await sidecar.launch("worker", goal, **more))
    return task
