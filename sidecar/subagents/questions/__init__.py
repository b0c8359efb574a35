"""Questions that agents put to a person: their forms, and the check of the answers."""
