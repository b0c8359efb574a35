"""The Model Context Protocol: the model's tools, transcripts and reminders for any agent that speaks it."""
