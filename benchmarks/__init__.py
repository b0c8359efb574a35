"""Commands that measure the promises about speed and print ratios to peers."""
