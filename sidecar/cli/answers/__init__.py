"""Lists that were printed before: printed again if nothing has changed that they depend on.

Importing what reads sessions takes longer than a stat of the files of 5,000 of them. So `list --json` keeps
its answer in the cache directory, together with what it depends on. The next one checks all of that again, as
a scan does, and prints the kept answer if it finds no difference. Everything that is imported before that
must be small.
"""
