"""Seeded stores of other agents with their true values, one module for each family."""
