"""`demo`: the main job from end to end."""

import signal
import time

from tests.cli.program import Cli


def test_the_demo_shows_the_main_job_in_less_than_fifteen_seconds(cli: Cli) -> None:
    began = time.monotonic()
    done = cli.run("demo", "--storage-root", str(cli.root))
    assert time.monotonic() - began < 15
    assert (done.returncode, done.stderr) == (0, "")
    for part in (
        "Why does the export lose commas?",
        "watch: Cancelled\n",
        "watch | [Cancelled]\n",
        "todos: Completed. 3 open points; see TODO.md.\n",
        "System Note: Async Task Status",
        "Remaining processes of its runs: none",
    ):
        assert part in done.stdout
    assert len(cli.json("ps")["items"]) == 3


def test_an_interrupted_demo_leaves_nothing(cli: Cli) -> None:
    demo = cli.start("demo", "--storage-root", str(cli.root))
    assert demo.stdout is not None
    while "[read_file]" not in demo.stdout.readline():
        assert demo.poll() is None
    demo.send_signal(signal.SIGINT)
    _, errors = demo.communicate(timeout=15)
    assert (demo.returncode, errors.strip()) == (130, "")


def test_a_demo_nobody_reads_ends_well(cli: Cli) -> None:
    done = cli.shell("sidecar demo | head -n 1; echo ${PIPESTATUS[0]}")
    assert done.stdout.splitlines()[1:] == ["0"]
    assert done.stderr == ""
