"""What constrains a run by its launch and its definition, and which runner supports it."""

from typing import Any

from sidecar.api.runs.launches import LaunchParams
from sidecar.subagents.definitions import Definition
from sidecar.subagents.limits.constraints import RunConstraints, constraints_of, first_unsupported


def launch(**given: Any) -> LaunchParams:
    return LaunchParams(subagent_name="a", goal_prompt="g", **given)


def constraints(definition: dict[str, Any] | None = None, **given: Any) -> RunConstraints:
    made = Definition(name="a", description="x", system_prompt="", **(definition or {}))
    return constraints_of(launch(**given), made, 10)


def test_a_bare_launch_has_the_constraints_of_its_definition() -> None:
    found = constraints({"max_turns": 4, "tools": ("read", "task")})
    assert (found.max_turns, found.grace_seconds, found.expected_outputs) == (4, 10, {})
    assert found.tools is not None
    assert found.tools.names == ["read"]


def test_what_the_launch_says_wins_and_tools_are_those_of_both() -> None:
    found = constraints(
        {"max_turns": 4, "tools": ("read", "edit")},
        max_turns=9,
        grace_period_seconds=0,
        tool_whitelist=["edit", "execute"],
        expected_outputs={"n": "how many"},
    )
    assert (found.max_turns, found.grace_seconds, found.expected_outputs) == (9, 0, {"n": "how many"})
    assert found.tools is not None
    assert found.tools.names == ["edit"]


def test_minus_one_means_none() -> None:
    found = constraints({"max_turns": 4}, max_turns=-1, grace_period_seconds=-1)
    assert (found.max_turns, found.grace_seconds) == (None, 0)


def test_without_a_list_all_tools_may_be_used() -> None:
    assert constraints().tools is None


def test_what_a_runner_does_not_support_is_named_with_its_reason() -> None:
    given = launch(tool_whitelist=[], max_turns=-1)
    found = first_unsupported(given, {"maxTurns": "it shows none", "toolWhitelist": "no way"})
    assert found == ("toolWhitelist", "no way")
    assert first_unsupported(given, {"maxTurns": "it shows none"}) is None
