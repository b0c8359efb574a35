"""Read what a run used from the session in its agent's own store."""

import asyncio
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from sidecar.app.history_views import HistoryViews
from sidecar.subagents.runs.store_usage import StoreUsage


async def read_session_usage(
    views: HistoryViews, now: Callable[[], int], session_id: str, environment: Mapping[str, str]
) -> StoreUsage | None:
    """Return what a session used, None if no store has it; `environment` is that of its agent."""
    return await asyncio.to_thread(_read, views, now(), session_id, environment)


def _read(
    views: HistoryViews, now: int, session_id: str, environment: Mapping[str, str]
) -> StoreUsage | None:
    from sidecar.history.agent_session import session_usage  # when it is needed, to start fast
    from sidecar.history.stores.editors import Machine

    home = environment.get("HOME") or environment.get("USERPROFILE")
    machine = Machine(Path(home) if home else Path.home(), environment, sys.platform)
    used = session_usage(session_id, views.histories, machine, now)
    if used is None:
        return None
    return StoreUsage(used.input, used.output, used.cache_reads, used.cache_writes, used.cost)
