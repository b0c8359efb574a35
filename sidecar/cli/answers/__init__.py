"""Keep the output of `list --json`, and print it again while nothing that it depends on has changed.

Importing the readers of sessions takes longer than checking the files of 5,000 sessions. So `list --json`
keeps its output in the cache directory, together with a digest of all files that it depends on. The next call
checks these files, as a scan does, and prints the kept output if the digest is the same. All modules that are
imported before that must be small.
"""
