"""Find damaged, orphaned or unreadable tasks, with causes and remedies. Changes nothing."""

from sidecar.history.doctor.examine import examine

__all__ = ["examine"]
