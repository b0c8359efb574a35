"""Count the file changes of tool calls, during a run and from its stored task."""
