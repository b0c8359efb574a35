"""Placement of runs on a Ray cluster: the gateway, and what runs on the nodes."""
