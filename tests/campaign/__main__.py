"""`scripts/campaign`: play, print what broke and the table, and end with 1 if anything did."""

import argparse
import asyncio
import sys
from pathlib import Path

from tests.campaign.report import as_json, failures, markdown
from tests.campaign.run import play


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="scripts/campaign", description=__doc__)
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--series", help="play this series alone: the first two numbers of a round's name")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    parser.add_argument("--write", type=Path, help="also write the table to this file")
    options = parser.parse_args()
    rounds = asyncio.run(play(options.rounds, options.seed, options.series))
    sys.stderr.write(failures(rounds))
    table = markdown(rounds, options.seed)
    sys.stdout.write(as_json(rounds, options.seed) + "\n" if options.json else table)
    if options.write is not None:
        options.write.write_text(table)
    return 1 if any(each.broken for each in rounds) else 0


if __name__ == "__main__":
    sys.exit(main())
