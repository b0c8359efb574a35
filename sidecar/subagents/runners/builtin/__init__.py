"""The built-in agent: a program of its own that speaks the Agent Client Protocol; nothing imports it."""
