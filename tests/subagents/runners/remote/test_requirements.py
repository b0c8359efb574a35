"""A launch that no node can execute is refused with the reason and the remedy."""

from dataclasses import replace
from typing import Any

import pytest

from sidecar import __version__
from sidecar.subagents.runners.remote.requirements import NodeRequirements, suitable, why_unsuitable

NEEDS = NodeRequirements(runner="opencode", program=None, is_builtin=False, labels={"gpu": "no"}, slots=1)
PROBE: dict[str, Any] = {
    "version": __version__,
    "agents": ["opencode"],
    "token": True,
    "has_git": True,
    "problem": None,
}
NODE: dict[str, Any] = {
    "nodeId": "a",
    "name": "A",
    "address": "10.0.0.1",
    "labels": {"gpu": "no"},
    "slots": 2,
    "probe": PROBE,
}


def changed(**probe: Any) -> dict[str, Any]:
    return {**NODE, "probe": {**PROBE, **probe}}


def test_a_node_that_has_everything_is_suitable() -> None:
    status = {"nodes": [NODE, {**NODE, "nodeId": "b", "labels": {}}]}
    assert why_unsuitable(NEEDS, status) is None
    assert suitable(NEEDS, status) == ["a"]


@pytest.mark.parametrize(
    ("node", "reason", "remedy"),
    [
        ({**NODE, "slots": 0}, "has 1 slots", "--resources"),
        ({**NODE, "labels": {"gpu": "yes"}}, "labels gpu=no", "fleet.labels"),
        (changed(problem="ModuleNotFoundError: No module named 'sidecar'"), "has no sidecar", "pip install"),
        (changed(problem="out of memory"), "out of memory", ""),
        (changed(version="0.0.1"), "version 0.0.1", "pip install"),
        (changed(token=False), "without authentication", "RAY_AUTH_MODE=token"),
        (changed(has_git=False), "has no git", "install it"),
        (changed(agents=["codex-acp"]), "agents found there: codex-acp", "install it"),
    ],
)
def test_what_is_missing_is_named_with_its_remedy(node: dict[str, Any], reason: str, remedy: str) -> None:
    text = why_unsuitable(NEEDS, {"nodes": [node]})
    assert text is not None and reason in text and remedy in text


def test_each_node_is_named_with_its_own_reason_the_best_one_first() -> None:
    nodes = [
        changed(version="0.0.1"),
        {**changed(agents=[]), "name": "B"},
        {**changed(agents=[]), "name": "C"},
    ]
    text = str(why_unsuitable(replace(NEEDS, labels={}), {"nodes": nodes}))
    assert text.startswith(
        "agent 'opencode' is not installed on node 'B' (agents found there: none); install"
    )
    assert ". Agent 'opencode' is not installed on node 'C'" in text
    assert ". Node 'A' has version 0.0.1 of the sidecar" in text


def test_a_refusal_by_a_large_cluster_names_three_nodes() -> None:
    nodes = [{**changed(has_git=False), "name": f"N{number}"} for number in range(9)]
    text = str(why_unsuitable(NEEDS, {"nodes": nodes}))
    assert text.count("has no git") == 3
    assert text.endswith(". 6 more cannot execute it either; see: subagent-sidecar fleet status")


def test_a_cluster_on_the_loopback_needs_no_token() -> None:
    node = {**changed(token=False), "address": "127.0.0.1"}
    assert why_unsuitable(NEEDS, {"nodes": [node]}) is None


def test_a_node_that_is_slow_to_answer_is_not_refused() -> None:
    assert why_unsuitable(NEEDS, {"nodes": [{**NODE, "probe": None}]}) is None


def test_a_command_needs_no_known_agent() -> None:
    needs = replace(NEEDS, runner="mine", program="sh")
    assert why_unsuitable(needs, {"nodes": [NODE]}) is None


def test_one_suitable_node_is_enough() -> None:
    status = {"nodes": [changed(agents=[]), {**NODE, "nodeId": "b"}]}
    assert why_unsuitable(NEEDS, status) is None
    assert suitable(NEEDS, status) == ["b"]
