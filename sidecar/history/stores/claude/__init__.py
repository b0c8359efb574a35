"""The sessions of Claude Code: one growing file of JSON lines for each session and each subagent."""
