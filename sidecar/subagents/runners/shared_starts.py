"""What the runners of all clients of a Host share, so that their runs do not get in each other's way."""

from sidecar.subagents.runners.acp.setup.learned import Learned
from sidecar.subagents.runners.acp.start_gate import StartGate
from sidecar.subagents.runners.fleet_links import FleetLinks
from sidecar.subagents.runners.output.fair_scheduler import FairScheduler


class SharedStarts:
    """One scheduler for all output, a gate for the first starts of each agent, and links to clusters."""

    def __init__(self) -> None:
        self.scheduler = FairScheduler()
        self._gates: dict[str, StartGate] = {}
        self._learned: dict[str, Learned] = {}
        self.fleet = FleetLinks()

    def gate(self, runner: str) -> StartGate:
        """Return the gate of a runner."""
        return self._gates.setdefault(runner, StartGate())

    def learned(self, runner: str) -> Learned:
        """Return what is known about the agent of a runner."""
        return self._learned.setdefault(runner, Learned())
