"""`scripts/campaign`: play, print what broke and the table, and end with 1 if anything did."""

import argparse
import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.campaign import report
from tests.campaign.run import play, play_shared
from tests.campaign.sharing import report as sharing_report


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="scripts/campaign", description=__doc__)
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--host", action="store_true", help="play against a Host that two clients share")
    parser.add_argument("--series", help="play this series alone: the first two numbers of a round's name")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    parser.add_argument("--write", type=Path, help="also write the table to this file, as its section there")
    options = parser.parse_args()
    rounds, table = _play(options.rounds, options.seed, options.series, shared=options.host)
    sys.stderr.write(report.failures(rounds))
    sys.stdout.write(report.as_json(rounds, options.seed) + "\n" if options.json else table)
    if options.write is not None:
        document = options.write.read_text() if options.write.exists() else ""
        options.write.write_text(report.replace_section(document, table))
    return 1 if any(each.broken for each in rounds) else 0


def _play(rounds: int, seed: int, only: str | None, *, shared: bool) -> tuple[Sequence[report.Played], str]:
    if shared:
        of_a_host = asyncio.run(play_shared(rounds, seed, only))
        return of_a_host, sharing_report.markdown(of_a_host, seed)
    alone = asyncio.run(play(rounds, seed, only))
    return alone, report.markdown(alone, seed)


if __name__ == "__main__":
    sys.exit(main())
