"""A subagent without a mind of its own: `agent.py SOCKET` says what a test tells it to.

It hands over its prompt and its folder, then repeats each line from the socket on stdout until the socket
is closed: the test decides what it prints, when, and when the run ends.
"""

import json
import socket
import sys
from pathlib import Path


def main(address: str) -> None:
    """Obey whoever listens at the address."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(address)
        greeting = {"prompt": sys.stdin.read(), "folder": str(Path.cwd())}
        connection.sendall(json.dumps(greeting).encode() + b"\n")
        with connection.makefile(encoding="utf-8") as lines:
            for line in lines:
                sys.stdout.write(line)
                sys.stdout.flush()


main(sys.argv[1])
