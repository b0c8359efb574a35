"""`answer`: answer what a run waits for, from a terminal."""
