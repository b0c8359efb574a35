"""The heap of a Host keeps few gaps."""

import ctypes
import subprocess
import sys

import pytest

_THREADS = """
import ctypes, sys, threading
from sidecar.host.heap import keep_heap_compact

keep_heap_compact()
used, counted = threading.Barrier(9), threading.Barrier(9)

def use():
    kept = bytes(2_000)
    used.wait()
    counted.wait()

for _ in range(8):
    threading.Thread(target=use).start()
used.wait()
libc = ctypes.CDLL(None)
stdout = ctypes.c_void_p.in_dll(libc, "stdout")
libc.malloc_info(0, stdout)
libc.fflush(stdout)
counted.wait()
"""


@pytest.mark.skipif(not hasattr(ctypes.PyDLL(None), "malloc_info"), reason="only glibc has arenas")
def test_threads_of_a_host_share_two_heaps() -> None:
    done = subprocess.run([sys.executable, "-c", _THREADS], check=True, stdout=subprocess.PIPE, timeout=60)
    assert done.stdout.count(b"<heap nr=") == 2
