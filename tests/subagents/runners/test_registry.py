from pathlib import Path
from typing import Any

import pytest

from sidecar.api.settings import RunnerSettings
from sidecar.subagents.runners.contract import RunnerUnavailable, RunSpec
from sidecar.subagents.runners.registry import build_runners, describe_runners


def test_each_entry_of_the_settings_becomes_a_runner_under_its_name() -> None:
    runners = build_runners(
        {
            "here": RunnerSettings(type="command", command=["sh"]),
            "gone": RunnerSettings(type="command", command=["no-such-program-here"]),
            "later": RunnerSettings(type="builtin"),
        }
    )
    assert describe_runners(runners.values()) == [
        {"name": "here", "type": "command", "available": True},
        {"name": "gone", "type": "command", "available": False},
        {"name": "later", "type": "builtin", "available": False},
    ]


async def test_a_type_that_is_not_built_yet_says_so(tmp_path: Path) -> None:
    async def ignore(event: dict[str, Any]) -> None:
        pass

    runner = build_runners({"x": RunnerSettings(type="builtin")})["x"]
    with pytest.raises(RunnerUnavailable, match="type 'builtin' is not built yet in this version"):
        runner.check()
    with pytest.raises(RunnerUnavailable):
        await runner.start(RunSpec("id", "", tmp_path), ignore)
