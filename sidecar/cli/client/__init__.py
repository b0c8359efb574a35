"""A command as a client of the Host."""
