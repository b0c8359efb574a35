"""The work tree of a run on its node, and its changes."""
