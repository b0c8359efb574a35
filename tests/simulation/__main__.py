"""Simulate a number of ends with a seed, and print what happened."""

import argparse
import logging
import sys

from tests.simulation.driver import simulate


def main() -> None:
    """Run one simulation; a failure names the seed."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("--seed", default="fixed")
    parser.add_argument("--ends", type=int, default=1_000)
    options = parser.parse_args()
    logging.disable(logging.ERROR)
    for what, times in sorted(simulate(options.seed, options.ends).items()):
        sys.stdout.write(f"{what}: {times}\n")


if __name__ == "__main__":
    main()
