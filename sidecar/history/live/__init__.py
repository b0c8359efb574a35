"""Report changes of stored tasks as they happen: watch active tasks and sweep over all others."""

from sidecar.history.live.follower import LiveHistory

__all__ = ["LiveHistory"]
