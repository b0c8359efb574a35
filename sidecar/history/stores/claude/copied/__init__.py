"""Find records that were copied from one session into others."""
