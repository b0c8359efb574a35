"""What the runners of all clients of a Host share, so that their runs do not get in each other's way."""

from sidecar.subagents.runners.acp.start_gate import StartGate
from sidecar.subagents.runners.output.fair_scheduler import FairScheduler


class SharedStarts:
    """One scheduler for all output, and one gate for the first starts of each agent."""

    def __init__(self) -> None:
        self.scheduler = FairScheduler()
        self._gates: dict[str, StartGate] = {}

    def gate(self, runner: str) -> StartGate:
        """Return the gate of a runner."""
        return self._gates.setdefault(runner, StartGate())
