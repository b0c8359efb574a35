"""What a client process runs to reach the Host. Every start of a client imports it, so it imports little."""
