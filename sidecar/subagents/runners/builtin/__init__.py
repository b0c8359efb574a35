"""The built-in agent, a separate program that speaks the Agent Client Protocol. Nothing imports it."""
