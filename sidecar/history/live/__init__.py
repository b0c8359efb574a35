"""Changes of stored tasks as they happen: watches for what is active, and a sweep over everything else."""

from sidecar.history.live.follower import LiveHistory

__all__ = ["LiveHistory"]
