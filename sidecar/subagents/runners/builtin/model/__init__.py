"""Send requests to the model, explain its failures, and fit conversations to its context window."""
