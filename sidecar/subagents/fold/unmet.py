"""The requests of a launch that the agent did not meet or may wait for, as a run's events report them."""

from typing import Any

import msgspec

from sidecar.api.runs.async_tasks import Unmet, UnmetKind

_MOST = 20


def awaited_of(event: dict[str, Any]) -> list[str]:
    """Return the MCP servers that an agent may wait for, as a log event reports them."""
    try:
        return msgspec.convert(event.get("awaitedServers", []), list[str])[:_MOST]
    except msgspec.ValidationError:
        return []


class UnmetRequests:
    """The newest report of each request, in the order of the first reports."""

    def __init__(self) -> None:
        self._known: dict[tuple[UnmetKind, str], Unmet] = {}

    def take(self, event: dict[str, Any]) -> None:
        """Add what a log event reports, if anything."""
        try:
            found = msgspec.convert(event["unmet"], Unmet) if "unmet" in event else None
        except msgspec.ValidationError:
            return
        if found is not None and len(self._known) < _MOST:
            self._known[found.kind, found.wanted] = found

    def known(self) -> list[Unmet] | None:
        """Return the newest reports; None if there are none."""
        return list(self._known.values()) or None
