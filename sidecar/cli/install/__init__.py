"""Connect the sidecar's tools with an agent: write the server's entry into that agent's own configuration."""
