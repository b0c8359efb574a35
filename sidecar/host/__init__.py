"""One Host for all clients of a root: its process, its socket, and the relay through which clients attach.

`relay`, `attaching`, `address` and `root_of_client` are imported by every start of a client: they import little.
"""
