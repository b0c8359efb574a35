"""Commands that show stored tasks."""
