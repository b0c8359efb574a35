"""Read files of JSON lines that grow: only what was appended, tolerant of damage, in bounded memory."""
