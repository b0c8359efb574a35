"""`corpus`: write stores of agents with known answers, to measure programs that read them."""

from collections import Counter
from pathlib import Path

import click

from sidecar.cli import exits, output
from sidecar.cli.options import process_options


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed writes the same files.")
@click.option(
    "--rounds",
    type=click.IntRange(1, 10_000),
    default=1,
    show_default=True,
    help="Number of sessions of each case.",
)
@process_options
def corpus(folder: Path, seed: int, rounds: int, config: Path | None, log_level: str) -> int:
    """Write stores of all products into DIR, and the true values of every session into DIR/truth.jsonl.

    DIR must be empty or must not exist yet. docs/accuracy.md describes the answers.
    """
    from sidecar.corpus.stores import write_corpus

    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        output.echo_line(f"{folder} is not empty; name a new folder", err=True)
        return exits.WRONG_USE
    truths = write_corpus(folder, seed, rounds)
    for store, sessions in sorted(Counter(truth.store for truth in truths).items()):
        output.echo_line(f"{sessions} sessions in {folder / store}")
    output.echo_line(f"{len(truths)} answers in {folder / 'truth.jsonl'}")
    return exits.DONE
