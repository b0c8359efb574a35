"""Subagent Sidecar: stored agent tasks listed truthfully, background subagents hosted over JSON-RPC."""

__version__ = "0.2.0"
