"""What is left of a run on its node when its process is gone."""
