"""Benchmarks of a running sidecar: requests, runs, the Host and the chat panel."""
