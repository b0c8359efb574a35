"""Where Copilot CLI keeps its sessions below a root."""

from typing import Final

SESSIONS: Final = "session-state"
