"""Stores of agents with known answers, to measure programs that read them.

Everything follows from a seed. Nothing here reads a store, so that the answers do not depend on the readers.
"""
