"""Commands that try agents."""
