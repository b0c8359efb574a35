"""What a launch and its definition come to, and which runner can keep to it."""

from typing import Any

import pytest

from sidecar.subagents.definitions import Definition
from sidecar.subagents.limits.terms import Terms, terms_of, unkept
from sidecar.subagents.tasks.launching import LaunchRequest


def terms(definition: dict[str, Any] | None = None, **request: Any) -> Terms:
    made = Definition(name="a", description="x", system_prompt="", **(definition or {}))
    return terms_of(LaunchRequest(name="a", **request), made, 10)


def test_a_launch_that_says_nothing_has_the_terms_of_its_definition() -> None:
    found = terms({"max_turns": 4, "tools": ("read", "task")})
    assert (found.max_turns, found.grace_seconds, found.expected_outputs) == (4, 10, {})
    assert found.tools is not None
    assert found.tools.names == ["read"]


def test_what_the_launch_says_wins_and_tools_are_those_of_both() -> None:
    found = terms(
        {"max_turns": 4, "tools": ("read", "edit")},
        run_config={"max_turns": 9, "grace_period_seconds": 0},
        tool_config={"tools": ["edit", "execute"]},
        output_config={"outputs": {"n": "how many"}},
    )
    assert (found.max_turns, found.grace_seconds, found.expected_outputs) == (9, 0, {"n": "how many"})
    assert found.tools is not None
    assert found.tools.names == ["edit"]


@pytest.mark.parametrize("limits", [{"max_turns": -1, "grace_period_seconds": -1}])
def test_minus_one_means_none(limits: dict[str, Any]) -> None:
    found = terms({"max_turns": 4}, run_config=limits)
    assert (found.max_turns, found.grace_seconds) == (None, 0)


def test_without_a_list_all_tools_may_be_used() -> None:
    assert terms().tools is None


def test_what_a_runner_cannot_keep_to_is_named_with_its_reason() -> None:
    request = LaunchRequest(name="a", tool_config={"tools": []}, run_config={"max_turns": -1})
    assert unkept(request, {"maxTurns": "it shows none", "toolWhitelist": "no way"}) == (
        "toolWhitelist",
        "no way",
    )
    assert unkept(request, {"maxTurns": "it shows none"}) is None
