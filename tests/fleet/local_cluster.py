"""Start the three nodes of `cluster_process` from a program that need not have Ray."""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def local_cluster(python: Path, home: Path, token: str) -> Iterator[str]:
    """Start the cluster with the Python that has Ray, and yield its address; end it with the context.

    `home` gets the folders of the nodes, and `token` in the file `token`.
    """
    (home / "token").write_text(token)
    environment = {
        **os.environ,
        "HOME": str(home),
        "RAY_AUTH_TOKEN": token,
        "SIDECAR_FLEET_DIR": str(home / "fleet"),
    }
    process = subprocess.Popen(
        [str(python), str(Path(__file__).with_name("cluster_process.py"))],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdin is not None and process.stdout is not None
    try:
        answer = process.stdout.readline()
        if not answer:
            raise RuntimeError("the cluster did not start; run scripts/fleet_env")
        yield json.loads(answer)["address"]
    finally:
        process.stdin.close()
        process.wait(60)
