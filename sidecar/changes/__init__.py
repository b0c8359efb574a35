"""What tool calls change in files: counted while a run goes on, and read again from its stored task."""
