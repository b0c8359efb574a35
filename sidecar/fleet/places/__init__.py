"""Get a run to a node that answers."""
