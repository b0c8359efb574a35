"""A whole campaign: series side by side, until there are as many rounds as asked for."""

import asyncio
import itertools
import tempfile
from pathlib import Path

from tests.campaign.nursery import Nursery
from tests.campaign.series import Round, Series

_SIDE_BY_SIDE = 3
"""Most of a round is waiting."""


async def play(rounds: int, seed: int, only: str | None = None) -> list[Round]:
    """Play this many rounds, or all of one series by its name (`seed:number`)."""
    names = iter([only]) if only else (f"{seed}:{number}" for number in itertools.count())
    played: list[Round] = []
    left = rounds

    async def play_series() -> None:
        nonlocal left
        for name in names:
            series = Series(nursery, Path(home) / name.replace(":", "-"), name)
            length = min(series.length, left)
            if not length:
                return
            left -= length
            played.extend(await series.play(length))

    with Nursery() as nursery, tempfile.TemporaryDirectory(prefix="campaign-") as home:
        async with asyncio.TaskGroup() as group:
            for _ in range(_SIDE_BY_SIDE):
                group.create_task(play_series())
    return played
