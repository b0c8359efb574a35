"""Background runs on the wire: definitions, launches, events, permissions, control."""
