"""Sessions of Copilot CLI, `~/.copilot/session-state/<id>/`."""
