"""What the events of a run add up to."""

from sidecar.subagents.fold.run import RunFold

__all__ = ["RunFold"]
