"""Find the runner that a launch names, and explain why one cannot start a run."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec

from sidecar.api.errors import LaunchFailed
from sidecar.api.settings import RunnerSettings, Settings
from sidecar.subagents.runners.contract import Runner, RunnerUnavailable
from sidecar.subagents.runners.fleet_links import FleetLinks
from sidecar.subagents.runners.registry import unlisted_runner

if TYPE_CHECKING:
    from sidecar.subagents.runners.remote.runner import RemoteRunner

AUTO = "auto"


class RunnerChoice:
    """The runners of a client, and why those that definitions name cannot start a run. Checks each once."""

    def __init__(self, runners: Mapping[str, Runner], environment: Mapping[str, str]) -> None:
        self.runners = runners
        self._environment = environment
        self._reasons: dict[str | None, str | None] = {}

    def why_unavailable(self, name: str | None) -> str | None:
        """Return the reason and the remedy, or None for a runner that is ready. None names no runner."""
        if name not in self._reasons:
            self._reasons[name] = self._check(name)
        return self._reasons[name]

    def _check(self, name: str | None) -> str | None:
        try:
            runner_named("", name, self.runners, self._environment)
        except LaunchFailed as error:
            return str(error.data["reason"])
        return None


def runner_named(
    subagent: str, chosen: str | None, runners: Mapping[str, Runner], environment: Mapping[str, str]
) -> Runner:
    """Return the runner that is named for a subagent. Raises LaunchFailed if it cannot start a run."""
    if chosen is None:
        raise refusal(
            subagent,
            "neither its definition nor the setting defaultRunner names a runner; "
            f"runners found: {_names(runners)}",
        )
    if chosen == AUTO:
        return _first_available(subagent, runners)
    runner = runners.get(chosen) or unlisted_runner(chosen, environment)
    if runner is None:
        raise refusal(
            subagent,
            f"{chosen!r} is not a runner; runners found: {_names(runners)}. If it is new in the "
            "settings file, run subagent-sidecar host stop: a Host reads the file when it starts",
        )
    try:
        runner.check()
    except RunnerUnavailable as error:
        raise refusal(subagent, error.message) from None
    return runner


def remote_runner(
    subagent: str,
    chosen: str | None,
    settings: Settings,
    runners: Mapping[str, Runner],
    environment: Mapping[str, str],
    links: FleetLinks,
) -> "RemoteRunner":
    """Return the chosen runner for the cluster. It need not be installed on this machine."""
    from sidecar.subagents.runners.remote.runner import RemoteRunner  # here: few users have a cluster

    base = None if chosen in (None, AUTO) else runners.get(chosen or "")
    if base is None and chosen not in (None, AUTO):
        base = unlisted_runner(chosen or "", environment)
    if base is None:
        base = runner_named(subagent, chosen, runners, environment)
    entry = settings.runners.get(base.name) or msgspec.convert({"type": base.type}, RunnerSettings)
    link = links.link(settings.fleet, environment)
    remote = RemoteRunner(base, entry, settings.fleet, link, settings.journal.retention_days)
    try:
        remote.check()
    except RunnerUnavailable as error:
        raise refusal(subagent, error.message) from None
    return remote


def _first_available(subagent: str, runners: Mapping[str, Runner]) -> Runner:
    for runner in runners.values():
        if is_available(runner):
            return runner
    raise refusal(subagent, f"no runner is available; configured: {', '.join(runners) or 'none'}")


def is_available(runner: Runner) -> bool:
    """Return whether the program of a runner is installed."""
    try:
        runner.check()
    except RunnerUnavailable:
        return False
    return True


def _names(runners: Mapping[str, Runner]) -> str:
    return ", ".join(name for name, runner in runners.items() if is_available(runner)) or "none"


def refusal(subagent: str, reason: str) -> LaunchFailed:
    """Return the error for a subagent that cannot be launched."""
    return LaunchFailed(
        f"subagent {subagent!r} cannot be launched: {reason}", subagentName=subagent, reason=reason
    )
