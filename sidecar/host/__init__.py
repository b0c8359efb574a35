"""One Host for all clients of a root: its process, its socket, and the relay through which clients attach.

Every start of a client imports `relay`, `attaching`, `address` and `root_of_client`, so these import little.
"""
