"""Try agents: open a session with each that is found, and check what one of them does right."""
