"""The campaign against a shared Host: it dies, its clients die, and the agents of its runs die."""
