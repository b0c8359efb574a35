"""Which policy leaves an agent the mode in which it decides for itself; the row of a run shows the mode."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import REPO, Start

pytestmark = pytest.mark.timeout(120)

Json = dict[str, Any]

AGENT = [sys.executable, str(REPO / "tests" / "agents" / "modes.py"), json.dumps({})]
RUNNERS: Json = {"moody": {"type": "acp", "command": AGENT}}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("default", "own", "more", "mode", "is_written"),
    [
        ("deny", None, {}, "default", False),
        ("allowAll", None, {}, "auto", True),
        ("allowAll", "deny", {}, "default", False),
        ("deny", "allowAll", {}, "auto", True),
        ("allowAll", None, {"toolWhitelist": ["Read"]}, "default", False),
        ("deny", "allowAll", {"toolWhitelist": ["Read"]}, "default", False),
    ],
)
async def test_the_policy_in_force_and_a_list_of_tools_decide_on_the_mode(
    start: Start, home: Path, default: str, own: str | None, more: Json, mode: str, is_written: bool
) -> None:
    policy = f"permissions: {own}\n" if own else ""
    definition = home / "config" / "subagent-sidecar" / "agents" / "moody.md"
    definition.write_text(f"---\nname: moody\ndescription: x.\nrunner: moody\n{policy}---\n")
    sidecar = await start(settings={"runners": RUNNERS, "permissions": {"default": default}})
    (task,) = await sidecar.ended(await sidecar.launch("moody", **more))
    assert (task["mode"], (sidecar.workspace / "out.txt").exists()) == (mode, is_written)


@pytest.mark.slow
async def test_an_agent_without_an_asking_mode_fails_and_says_what_to_do(start: Start, home: Path) -> None:
    command = [*AGENT[:-1], json.dumps({"offers": ["auto"]})]
    definition = home / "config" / "subagent-sidecar" / "agents" / "moody.md"
    definition.write_text("---\nname: moody\ndescription: x.\nrunner: moody\n---\n")
    sidecar = await start(settings={"runners": {"moody": {"type": "acp", "command": command}}})
    (task,) = await sidecar.ended(await sidecar.launch("moody"))
    assert (task["status"], task["endReason"]) == ("failed", "error")
    assert "starts in mode 'auto'" in task["error"] and "permissions: allowAll" in task["error"]
