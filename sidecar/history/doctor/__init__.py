"""What is damaged, orphaned or unreadable in the stores, why, and what helps. Nothing is changed."""

from sidecar.history.doctor.examine import examine

__all__ = ["examine"]
