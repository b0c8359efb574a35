from sidecar.api.settings import RunnerSettings
from sidecar.subagents.runners.registry import build_runners, describe_runners


def test_each_entry_of_the_settings_becomes_a_runner_under_its_name() -> None:
    runners = build_runners(
        {
            "gone": RunnerSettings(type="command", command=["no-such-program-here"]),
            "here": RunnerSettings(type="command", command=["sh"]),
            "later": RunnerSettings(type="builtin", env={"SIDECAR_AGENT_PROVIDER": "nobody"}),
        }
    )
    here, gone, later = describe_runners(runners.values())
    assert here == {"name": "here", "type": "command", "available": True, "reason": None}
    assert (gone["available"], later["available"]) == (False, False)
    assert "no-such-program-here" in gone["reason"]
    assert "SIDECAR_AGENT_PROVIDER is 'nobody'; use one of: openai, anthropic" in later["reason"]
