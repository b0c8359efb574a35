"""A session counts the answers of processes that ended without recording their usage."""

import json
from typing import Any

import pytest

from sidecar.api.stored.tasks import TokenUsage
from sidecar.history.stores.append_only.records import Damage
from sidecar.history.stores.copilot.events import EVENTS, EventFold

Run = list[dict[str, Any]]


def run(number: int, output: int, *, killed: bool) -> Run:
    """Return the events of one process with one answer."""
    answer = {"messageId": f"m{number}", "outputTokens": output}
    metrics = {"gpt": {"usage": {"inputTokens": 10 * output, "outputTokens": output}}}
    events: Run = [
        {"type": "session.resume" if number else "session.start", "data": {}},
        {"type": "assistant.message", "data": answer},
        {"type": "session.shutdown", "data": {"modelMetrics": metrics, "sessionStartTime": number}},
    ]
    return events[:-1] if killed else events


def usage(*runs: Run) -> TokenUsage | None:
    fold = EventFold()
    lines = [json.dumps(event).encode() + b"\n" for events in runs for event in events]
    fold.take(EVENTS.decode(b"".join(lines), Damage()))
    return fold.usage()


def test_runs_that_recorded_their_usage_are_summed() -> None:
    both = usage(run(0, 100, killed=False), run(1, 50, killed=False))
    assert both == TokenUsage(total=1_650, input=1_500, output=150)


@pytest.mark.parametrize("first_is_killed", [True, False])
def test_only_the_output_is_known_if_a_run_was_killed(first_is_killed: bool) -> None:
    runs = run(0, 100, killed=first_is_killed), run(1, 50, killed=not first_is_killed)
    assert usage(*runs) == TokenUsage(output=150)
