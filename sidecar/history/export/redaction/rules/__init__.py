"""The kinds of secrets and what each looks like."""
