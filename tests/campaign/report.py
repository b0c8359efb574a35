"""A campaign's result: as a table for people, and as JSON."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from statistics import median, quantiles
from typing import Protocol

from tests.campaign.checks import INVARIANTS
from tests.campaign.notes import Broken
from tests.campaign.series import Round


class Played(Protocol):
    """What rounds of every kind have."""

    name: str
    way: str
    runs: int

    @property
    def restart(self) -> float | None:
        """The time to take over, in s, where it was measured."""

    broken: list[Broken]


def markdown(rounds: Sequence[Round], seed: int) -> str:
    """Write the result as Markdown."""
    ways = Counter(each.way for each in rounds)
    twice = sum(each.recovery_killed for each in rounds)
    counts = Counter(name for each in rounds for name in {broken.invariant for broken in each.broken})
    times = sorted(each.restart for each in rounds)
    lines = [
        "# Kill campaign",
        "",
        f"`scripts/campaign --rounds {len(rounds)} --seed {seed}`: {len(rounds)} rounds, "
        f"{sum(each.runs for each in rounds)} runs.",
        f"Servers killed {', '.join(f'{way}: {count}' for way, count in sorted(ways.items()))}; "
        f"killed again during recovery: {twice}.",
        "",
        "| invariant | | rounds broken |",
        "|---|---|---|",
        *(f"| {name} | {text} | {counts[name]} |" for name, text in INVARIANTS.items()),
        "",
        f"Restart to the answer of `initialize`, modules loaded: median {median(times):.2f} s, "
        f"99 of 100 within {percentile(times):.2f} s, longest {times[-1]:.2f} s.",
    ]
    return "\n".join(lines) + "\n"


def failures(rounds: Sequence[Played]) -> str:
    """List every broken invariant with the name of its round."""
    return "".join(
        f"{each.name} ({each.way}): {broken.invariant}: {broken.detail}\n"
        for each in rounds
        for broken in each.broken
    )


def as_json(rounds: Sequence[Played], seed: int) -> str:
    """Write the result as one JSON object."""
    return json.dumps(
        {
            "seed": seed,
            "rounds": len(rounds),
            "runs": sum(each.runs for each in rounds),
            "restartSeconds": [round(each.restart, 3) for each in rounds if each.restart is not None],
            "broken": [
                {"round": each.name, "way": each.way, "invariant": name, "detail": detail}
                for each in rounds
                for name, detail in each.broken
            ],
        },
        indent=2,
    )


def percentile(times: Sequence[float]) -> float:
    """Return what 99 of 100 are not above."""
    return quantiles(times, n=100, method="inclusive")[98] if len(times) > 1 else times[0]


def replace_section(document: str, section: str) -> str:
    """Return the document with this section in place of the one with the same heading, or at its end.

    A section begins at a heading of the first level and ends before the next one.
    """
    heading = section.partition("\n")[0]
    parts = re.split(r"(?m)^(?=# )", document)
    kept = [section.rstrip() if part.partition("\n")[0] == heading else part.rstrip() for part in parts]
    if section.rstrip() not in kept:
        kept.append(section.rstrip())
    return "\n\n".join(part for part in kept if part) + "\n"
