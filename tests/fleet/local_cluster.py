"""Start the three nodes of `cluster_process` from a program that need not have Ray."""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any


@contextmanager
def local_cluster(python: Path, home: Path, token: str) -> Iterator[str]:
    """Start the cluster with the Python that has Ray, and yield its address; end it with the context.

    `home` gets the folders of the nodes, and `token` in the file `token`.
    """
    (home / "token").write_text(token)
    with cluster_process(python, home, token, subprocess.DEVNULL) as process:
        yield read_answer(process)["address"]


@contextmanager
def cluster_process(
    python: Path, home: Path, token: str, stderr: int | IO[bytes], **variables: str
) -> Iterator["subprocess.Popen[str]"]:
    """Start the process of a cluster, and end it with the context.

    Its processes have `variables` besides those of this one.
    """
    environment = {
        **os.environ,
        "HOME": str(home),
        "RAY_AUTH_TOKEN": token,
        "SIDECAR_FLEET_DIR": str(home / "fleet"),
        **variables,
    }
    with subprocess.Popen(
        [str(python), str(Path(__file__).with_name("cluster_process.py"))],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            assert process.stdin is not None
            process.stdin.close()
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()


def read_answer(process: "subprocess.Popen[str]") -> dict[str, Any]:
    """Read the next answer of a cluster's process; the first one has its address."""
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise RuntimeError("the cluster did not start; run scripts/fleet_env")
    answer: dict[str, Any] = json.loads(line)
    return answer
