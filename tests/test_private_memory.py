"""Other processes of the same user cannot read the environment and the memory of the sidecar."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has /proc")

_GET_DUMPABLE = 3
"""From linux/prctl.h; see prctl(2)."""
_ANSWERS = f"""
import ctypes, os, sys, threading
from sidecar.__main__ import run

question, answer = map(int, sys.argv[1:3])
del sys.argv[1:3]

def tell():
    os.read(question, 1)
    os.write(answer, str(ctypes.PyDLL(None).prctl({_GET_DUMPABLE})).encode())

threading.Thread(target=tell, daemon=True).start()
run()
"""


def test_the_memory_of_a_server_is_closed_before_it_reads_its_input(tmp_path: Path) -> None:
    (asks, question), (answer, answers) = os.pipe(), os.pipe()
    command = [
        sys.executable,
        "-c",
        _ANSWERS,
        str(asks),
        str(answers),
        "serve",
        "--storage-root",
        str(tmp_path),
    ]
    request = b'{"jsonrpc": "2.0", "id": 1, "method": "health"}'
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=(asks, answers)
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(request), request))
        server.stdin.flush()
        assert server.stdout.readline().startswith(b"Content-Length:")
        os.write(question, b"?")
        assert os.read(answer, 9) == b"0"
    for each in (asks, question, answer, answers):
        os.close(each)
