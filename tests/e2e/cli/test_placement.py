"""`launch` says where a run works."""

import json
import subprocess
import sys

import pytest

from sidecar import __version__
from tests.cli.program import Cli, ready

GATEWAY = """
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    node = {"nodeId": "1", "name": "A", "address": "127.0.0.1", "slots": 4, "free": 4}
    node |= {"labels": {}, "probe": None}
    answers = {"version": {"version": sys.argv[1]}, "connect": {}, "status": {"nodes": [node]}}
    print(json.dumps({"id": request["id"], "ok": answers[request["op"]]}), flush=True)
"""


def with_cluster(cli: Cli, *argv: str) -> None:
    """Configure the gateway of a cluster, and make the workspace a repository."""
    subprocess.run(["git", "init", "-q", str(cli.workspace)], check=True)
    settings = cli.home / "config" / "subagent-sidecar" / "config.toml"
    with settings.open("a") as file:
        file.write(f"\n[fleet]\ngateway = {json.dumps(list(argv))}\n")


def test_a_launch_on_the_cluster_needs_one(cli: Cli) -> None:
    done = cli.run("launch", "cat", "x", "--placement", "ray", "--wait")
    assert (done.returncode, done.stdout) == (1, "")
    assert "placement: ray needs a cluster; set fleet.gateway" in done.stderr


def test_a_launch_names_the_labels_of_its_node(cli: Cli) -> None:
    script = cli.home / "gateway.py"
    script.write_text(GATEWAY)
    with_cluster(cli, sys.executable, str(script), __version__)
    labels = ("--node-label", "gpu=a=b", "--node-label", "fleet.name=B")
    done = cli.run("launch", "cat", "x", "--placement", "ray", *labels)
    assert (done.returncode, done.stdout) == (1, "")
    assert "no node has the labels gpu=a=b, fleet.name=B" in done.stderr


def test_a_launch_works_on_the_node_with_its_label(cli: Cli) -> None:
    with_cluster(cli, sys.executable, "-m", "tests.fleet.fakes.alone", "A", "B")
    there = ("--placement", "ray", "--node-label", "fleet.name=B")
    done = cli.run("launch", "cat", "say this back", *there, "--wait")
    assert (done.returncode, done.stdout.splitlines()[1:]) == (0, ["say this back"]), done.stderr
    (task,) = cli.json("ps")["items"]
    assert (task["placement"]["node"], task["placement"]["state"]) == ("B", "ended")


def test_ps_says_what_a_run_waits_for(cli: Cli) -> None:
    with_cluster(cli, sys.executable, "-m", "tests.fleet.fakes.alone", "A", "B")
    there = ("--placement", "ray", "--node-label", "fleet.name=B")
    running = [ready(cli, *there) for _ in range(2)]
    assert cli.run("launch", "wait", "x", *there).returncode == 0
    rows = [line.split("\t") for line in cli.run("ps").stdout.splitlines()[1:]]
    assert sorted((row[0], row[4]) for row in rows) == [
        ("queued", "Queued (next): no free slot on the cluster, needs a node with fleet.name=B"),
        ("running", "on B"),
        ("running", "on B"),
    ]
    assert cli.run("host", "stop", "--cancel-running").returncode == 0
    for process, _ in running:
        process.communicate(timeout=40)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--placement", "moon"), "'moon' is not one of"),
        (("--node-label", "gpu"), "--node-label 'gpu' is not NAME=VALUE, such as fleet.name=A"),
        (("--node-label", "=gpu"), "--node-label '=gpu' is not NAME=VALUE"),
        (("--node-label", "gpu=yes"), "this run is not placed on a cluster; omit it, or use placement: ray"),
    ],
)
def test_a_wrong_place_is_refused_with_the_remedy(cli: Cli, options: tuple[str, ...], problem: str) -> None:
    done = cli.run("launch", "cat", "x", *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert problem in " ".join(done.stderr.split())
