"""Find home directories and the names of their owners."""
