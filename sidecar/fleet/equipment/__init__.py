"""What the agent of a run gets on its node besides its prompt."""
