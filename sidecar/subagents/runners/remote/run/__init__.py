"""One run on a cluster: place it, follow its lines, and bring its changes back."""
