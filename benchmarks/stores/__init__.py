"""Benchmarks of stored tasks: lists, changes and damaged tasks."""
