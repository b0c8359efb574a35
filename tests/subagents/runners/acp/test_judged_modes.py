"""A run that may do everything leaves the modes in which a model of the agent may refuse a call."""

from collections.abc import Mapping
from typing import Any

import pytest

from sidecar.subagents.runners.acp.agents.profiles import PROFILES
from sidecar.subagents.runners.acp.mode_control import SessionModes
from sidecar.subagents.runners.acp.mode_state import Choice
from sidecar.subagents.runners.contract import RunObserver

OFFERED = ["default", "auto", "yolo"]


async def chosen(agent: str, start: str, wanted: str | None = None, *, must_ask: bool = False) -> list[str]:
    """Return the modes that a session of an agent is put into, in order."""
    modes = SessionModes(
        PROFILES[agent].modes, RunObserver(), lambda error: pytest.fail(str(error)), must_ask=must_ask
    )
    offered = [{"id": mode, "name": mode} for mode in OFFERED]
    modes.open("session", {"modes": {"currentModeId": start, "availableModes": offered}})
    found: list[str] = []

    async def choose(choice: Choice, mode: str) -> Mapping[str, Any]:
        found.append(mode)
        return {}

    await modes.make_asking(choose, wanted)
    return found


@pytest.mark.parametrize("agent", ["claude-agent-acp", "qwen"])
async def test_a_mode_in_which_a_model_judges_is_left_for_one_that_asks(agent: str) -> None:
    assert await chosen(agent, "auto") == ["default"]


async def test_a_mode_that_was_chosen_is_kept() -> None:
    assert await chosen("claude-agent-acp", "default", "auto") == ["auto"]


async def test_other_modes_and_agents_stay_as_they_start() -> None:
    assert await chosen("claude-agent-acp", "yolo") == []
    assert await chosen("gemini", "auto") == []
