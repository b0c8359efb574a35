"""The sessions of Codex: one growing file of JSON lines for each, and names in two places next to them."""
