"""A simulation of models, their clients and a Host: which ends are reported to whom, and how often."""
