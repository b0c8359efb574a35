"""A model or an effort that the agent accepts but does not take."""

import pytest

from sidecar.subagents.runners.acp.mode_state import Category, Choice
from sidecar.subagents.runners.acp.setup.requested import Requested


def reported(current: str, category: Category = "model") -> dict[Category, Choice]:
    return {category: Choice("option", current, ("small", "large"))}


@pytest.mark.parametrize(
    ("before", "current", "is_met"),
    [
        ("small", "large", True),
        ("small", "small", False),
        ("small", "large-2026-01", True),  # another name for it
        ("other", "small", False),
        ("hidden", "hidden", False),
        (None, "$runtime|openai|Large(openai)", True),  # chosen on the command line
        (None, "small", False),
    ],
)
def test_a_request_is_met_unless_the_agent_reports_another_known_value(
    before: str | None, current: str, is_met: bool
) -> None:
    requested = Requested()
    requested.add("model", "large", before)
    found = [event["unmet"] for event in requested.unmet(reported(current))]
    assert found == ([] if is_met else [{"kind": "model", "wanted": "large", "inForce": current}])


def test_a_request_is_reported_once_even_if_it_is_lost_later() -> None:
    requested = Requested()
    requested.add("thought_level", "large", "small")
    assert list(requested.unmet(reported("large", "thought_level"))) == []
    (event,) = requested.unmet(reported("small", "thought_level"))
    assert event["text"] == "The agent ignored the effort large and uses small\n"
    assert list(requested.unmet(reported("small", "thought_level"))) == []
