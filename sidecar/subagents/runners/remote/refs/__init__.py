"""The refs with the changes of runs on a cluster: keep them, and let resumed runs start with them."""
