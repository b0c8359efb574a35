"""Save or remove the leftovers of a run on its node when its process is gone."""
