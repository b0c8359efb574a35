"""One Host for all clients of a root: its process, its socket and the clients that attach to it."""
