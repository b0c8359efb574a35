"""What is chosen and passed when a session opens, and what is learned from it."""
