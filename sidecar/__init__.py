"""Subagent Sidecar: lists the sessions of AI coding agents and runs subagents in the background."""

__version__ = "0.2.0"
