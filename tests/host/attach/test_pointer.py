"""The file in the root that names the Host's socket."""

import os
from pathlib import Path

from sidecar.host.attach import address


def test_what_a_killed_host_left_of_the_file_is_replaced(tmp_path: Path) -> None:
    pid = os.fork()
    if pid == 0:
        try:
            os.replace = lambda *paths: os._exit(0)  # it dies before the rename
            address.write_pointer(str(tmp_path), "/elsewhere/one.sock")
        finally:
            os._exit(1)
    assert os.waitpid(pid, 0)[1] == 0
    assert not (tmp_path / address.POINTER).exists()
    address.write_pointer(str(tmp_path), "/elsewhere/two.sock")
    assert next(address.known_sockets(str(tmp_path))) == "/elsewhere/two.sock"
    assert os.listdir(tmp_path) == [address.POINTER]
