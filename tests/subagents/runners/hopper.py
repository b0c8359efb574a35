"""A program that runs from its own end: it forks into a new session every 2 ms, with an empty environment.

Call with a file, to which each life adds a byte, and the seconds after which it ends by itself.
"""

import os
import sys
import time


def hop(beats: str, until: float) -> None:
    """Live on in child after child until the time is over."""
    file = os.open(beats, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    while time.time() < until:
        os.write(file, b".")
        if os.fork() == 0:
            os.setsid()
        else:
            time.sleep(0.002)
            os._exit(0)


if __name__ == "__main__":
    if sys.argv[3:] != ["bare"]:
        end = str(time.time() + float(sys.argv[2]))
        os.execve(sys.executable, [sys.executable, __file__, sys.argv[1], end, "bare"], {})
    hop(sys.argv[1], float(sys.argv[2]))
