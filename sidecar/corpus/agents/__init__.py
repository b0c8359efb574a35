"""Stores of today's agents, made from a seed, with the true values of every session."""
