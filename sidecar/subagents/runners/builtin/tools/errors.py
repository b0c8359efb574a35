"""The error that a tool returns to the model instead of a result."""


class ToolError(Exception):
    """A tool cannot do what the model asked. The text tells the model the cause and the remedy."""
