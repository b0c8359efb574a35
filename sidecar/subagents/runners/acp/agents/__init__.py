"""What is known about each agent: its command and modes, and how to keep it from running unknown programs."""
