"""What an agent gets for a run besides its prompt: servers, files and folders."""
