"""Place runs on nodes that answer."""
