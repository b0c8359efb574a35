"""Stored tasks on the wire: lists, messages, files, search, statistics, export, diagnosis, housekeeping."""
