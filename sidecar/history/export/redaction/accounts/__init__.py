"""Home directories, and the names of the people who own them."""
