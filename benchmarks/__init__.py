"""What is promised about speed, as commands that print ratios measured side by side."""
