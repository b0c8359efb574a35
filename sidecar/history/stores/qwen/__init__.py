"""Chats of Qwen Code, `~/.qwen/projects/<project>/chats/` and, before, `~/.qwen/tmp/<hash>/chats/`."""
