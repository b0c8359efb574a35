"""A campaign of kills: servers die at every moment, and what they had answered has to be true afterwards."""
