"""Decide whether any node of a cluster can execute a run, and say what is missing. No I/O."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sidecar import __version__

Node = Mapping[str, Any]
_MOST_REASONS = 3
"""How many nodes a refusal names."""


@dataclass(frozen=True)
class NodeRequirements:
    """What a run needs of its node. `program` is that of the runner's own command."""

    runner: str
    program: str | None
    is_builtin: bool
    labels: Mapping[str, str]
    slots: int


def why_unsuitable(needs: NodeRequirements, status: Mapping[str, Any]) -> str | None:
    """Return why no node can run this, with the remedy; None if some node can."""
    nodes: Sequence[Node] = [node for node in status["nodes"] if node["slots"] >= needs.slots]
    if not nodes:
        return (
            f"no node of the cluster has {needs.slots} slots; start nodes with --resources "
            f"'{{\"agent_slot\": {max(4, needs.slots)}}}', or lower fleet.slotsPerRun"
        )
    matching = [node for node in nodes if _has_labels(node, needs.labels)]
    if not matching:
        wanted = ", ".join(f"{name}={value}" for name, value in needs.labels.items())
        return (
            f"no node has the labels {wanted}; correct fleet.labels, or start a node with --labels {wanted}"
        )
    return _reasons(matching, [_problem, _version, _token, _git, _agent(needs)])


def node_problem(node: Node) -> str | None:
    """Return why a node cannot execute any run, with the remedy."""
    if node.get("probe") is None:
        return f"node {node['name']!r} did not describe itself in time; check it with: ray status"
    return _reasons([node], [_problem, _version, _token, _git])


def other_version(node: str, version: str) -> str:
    """Return why a node with another version of the sidecar cannot execute runs, with the remedy."""
    return (
        f"node {node!r} has version {version} of the sidecar and this is version {__version__}; "
        f'install the same there: pip install "subagent-sidecar[fleet]=={__version__}"'
    )


def suitable(needs: NodeRequirements, status: Mapping[str, Any]) -> list[str]:
    """Return the IDs of the nodes that can run this."""
    return [
        node["nodeId"]
        for node in status["nodes"]
        if why_unsuitable(needs, {**status, "nodes": [node]}) is None
    ]


def _reasons(nodes: Sequence[Node], checks: Sequence[Callable[[Node], str | None]]) -> str | None:
    """Return why no node passes all checks, None if one does.

    Each node has one reason, the first that applies. The nodes that pass most checks come first.
    """
    if any(node.get("probe") is None for node in nodes):
        return None  # a node that is slow to describe itself may be able to
    found: list[tuple[int, str]] = []
    for node in nodes:
        failed = [(-number, reason) for number, check in enumerate(checks) if (reason := check(node))]
        if not failed:
            return None
        found.append(failed[0])
    reasons = [reason for _, reason in sorted(found, key=lambda each: each[0])]
    named = ". ".join([reasons[0], *(each[0].upper() + each[1:] for each in reasons[1:_MOST_REASONS])])
    more = len(reasons) - _MOST_REASONS
    rest = f". {more} more cannot execute it either; see: subagent-sidecar fleet status" if more > 0 else ""
    return named + rest


def _has_labels(node: Node, labels: Mapping[str, str]) -> bool:
    return all(node["labels"].get(name) == value for name, value in labels.items())


def _problem(node: Node) -> str | None:
    problem = node["probe"].get("problem")
    if problem is None:
        return None
    if "No module named" in problem:
        return (
            f"node {node['name']!r} has no sidecar ({problem}); install it there: "
            f'pip install "subagent-sidecar[fleet]=={__version__}"'
        )
    return f"node {node['name']!r}: {problem}"


def _version(node: Node) -> str | None:
    version = node["probe"]["version"]
    return None if version == __version__ else other_version(node["name"], version)


def _token(node: Node) -> str | None:
    if node["probe"]["token"] or node["address"].startswith("127."):
        return None
    return (
        f"node {node['name']!r} at {node['address']} runs without authentication, so anyone who reaches it "
        "can run programs on it; start all nodes with RAY_AUTH_MODE=token and one token, and set "
        "fleet.tokenPath"
    )


def _git(node: Node) -> str | None:
    return None if node["probe"]["has_git"] else f"node {node['name']!r} has no git; install it there"


def _agent(needs: NodeRequirements) -> Callable[[Node], str | None]:
    def check(node: Node) -> str | None:
        probe = node["probe"]
        if needs.is_builtin or needs.program is not None or needs.runner in probe["agents"]:
            return None
        found = ", ".join(probe["agents"]) or "none"
        return (
            f"agent {needs.runner!r} is not installed on node {node['name']!r} (agents found there: "
            f"{found}); install it there, or set runners.{needs.runner}.command"
        )

    return check
