from sidecar.api.settings import RunnerSettings
from sidecar.subagents.runners.registry import build_runners, describe_runners


def test_each_entry_of_the_settings_becomes_a_runner_under_its_name() -> None:
    runners = build_runners(
        {
            "here": RunnerSettings(type="command", command=["sh"]),
            "gone": RunnerSettings(type="command", command=["no-such-program-here"]),
            "later": RunnerSettings(type="builtin", env={"SIDECAR_AGENT_PROVIDER": "nobody"}),
        }
    )
    assert describe_runners(runners.values()) == [
        {"name": "here", "type": "command", "available": True},
        {"name": "gone", "type": "command", "available": False},
        {"name": "later", "type": "builtin", "available": False},
    ]
