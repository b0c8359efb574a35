"""What a tool answers instead of a result."""


class ToolFault(Exception):
    """A tool cannot do what was asked. The text is for the model: it names the cause and what helps."""
