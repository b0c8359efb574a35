"""What tool calls change in files: counted during a run, and read again from its stored task."""
