"""What is installed on a node, found by a short call there."""

import os
import platform
import shutil
from dataclasses import dataclass, field

from sidecar import __version__
from sidecar.fleet.environment import agent_environment
from sidecar.fleet.node_run import fleet_folder
from sidecar.subagents.runners.acp.agents.profiles import found_profiles


@dataclass(frozen=True)
class NodeProbe:
    """Versions, the agents on the `PATH`, whether Ray asks for a token, and the runs in the node's folder."""

    version: str = ""
    python: str = ""
    has_git: bool = False
    agents: list[str] = field(default_factory=list)
    path: str = ""
    token: bool = False
    runs: list[str] = field(default_factory=list)
    problem: str | None = None


def probe() -> NodeProbe:
    """Return what is installed on this node."""
    environment = agent_environment(os.environ)
    runs = fleet_folder() / "runs"
    return NodeProbe(
        version=__version__,
        python=platform.python_version(),
        has_git=shutil.which("git") is not None,
        agents=found_profiles(environment),
        path=environment.get("PATH", ""),
        token=os.environ.get("RAY_AUTH_MODE") == "token",
        runs=sorted(each.name for each in runs.iterdir()) if runs.is_dir() else [],
    )


def finds(program: str) -> bool:
    """Return whether a program is found on this node."""
    return shutil.which(program, path=os.environ.get("PATH")) is not None
