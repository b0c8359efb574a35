"""Chats of Gemini CLI, `~/.gemini/tmp/<project>/chats/`."""
