"""The model: how it is reached, what its failures mean, and how much of a conversation it takes."""
