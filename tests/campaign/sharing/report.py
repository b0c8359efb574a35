"""The result of a campaign against a shared Host, as a table for people."""

from collections import Counter
from collections.abc import Sequence
from statistics import median

from tests.campaign.report import percentile
from tests.campaign.sharing.checks import INVARIANTS
from tests.campaign.sharing.series import Round


def markdown(rounds: Sequence[Round], seed: int) -> str:
    """Write the result as Markdown."""
    ways = Counter(each.way for each in rounds)
    twice = sum(each.recovery_killed for each in rounds)
    raced = sum(each.raced for each in rounds)
    counts = Counter(name for each in rounds for name in {broken.invariant for broken in each.broken})
    restarts = sorted(each.restart for each in rounds if each.restart is not None) or [0.0]
    ends = sorted(took for each in rounds for took in each.ends_of_input) or [0.0]
    lines = [
        "# Kill campaign of a shared Host",
        "",
        f"`scripts/campaign --host --rounds {len(rounds)} --seed {seed}`: {len(rounds)} rounds with two "
        f"clients each, {sum(each.runs for each in rounds)} runs.",
        "",
        "| killed (pause: stopped for up to 3 s) | rounds |",
        "|---|---|",
        *(f"| {way} | {count} |" for way, count in sorted(ways.items())),
        "",
        f"Host killed again during recovery: {twice}; two Hosts started at once: {raced}.",
        "",
        "| invariant | | rounds broken |",
        "|---|---|---|",
        *(f"| {name} | {text} | {counts[name]} |" for name, text in INVARIANTS.items()),
        "",
        f"Restart to the answer of `initialize`, modules loaded: {_spread(restarts)}.",
        "",
        f"Death of the Host to the end of a client's input, {len(ends)} clients: {_spread(ends)}.",
    ]
    return "\n".join(lines) + "\n"


def _spread(times: Sequence[float]) -> str:
    return (
        f"median {median(times):.2f} s, 99 of 100 within {percentile(times):.2f} s, longest {times[-1]:.2f} s"
    )
