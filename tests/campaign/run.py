"""A whole campaign: series side by side, until there are as many rounds as asked for."""

import asyncio
import contextlib
import itertools
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol, TypeVar

from tests.campaign.forker import Forker
from tests.campaign.series import Round, Series
from tests.campaign.sharing.series import HostSeries
from tests.campaign.sharing.series import Round as SharedRound

R = TypeVar("R")

_SIDE_BY_SIDE = 3
"""Most of a round is waiting."""


class Playable(Protocol[R]):
    """A series, whatever its rounds are."""

    length: int

    async def play(self, rounds: int) -> list[R]:
        """Play this many rounds."""


async def play(rounds: int, seed: int, only: str | None = None) -> list[Round]:
    """Play this many rounds, or all of one series by its name (`seed:number`)."""
    return await _play(Series, rounds, seed, only)


async def play_shared(rounds: int, seed: int, only: str | None = None) -> list[SharedRound]:
    """Play rounds of a shared Host, or all of one series of these."""
    with tempfile.TemporaryDirectory(prefix="runtime-") as runtime, _environment("XDG_RUNTIME_DIR", runtime):
        return await _play(HostSeries, rounds, seed, only)


async def _play(
    kind: Callable[[Forker, Path, str], Playable[R]], rounds: int, seed: int, only: str | None
) -> list[R]:
    names = iter([only]) if only else (f"{seed}:{number}" for number in itertools.count())
    played: list[R] = []
    left = rounds

    async def play_series() -> None:
        nonlocal left
        for name in names:
            series = kind(forker, Path(home) / name.replace(":", "-"), name)
            length = min(series.length, left)
            if not length:
                return
            left -= length
            played.extend(await series.play(length))

    with Forker() as forker, tempfile.TemporaryDirectory(prefix="campaign-") as home:
        async with asyncio.TaskGroup() as group:
            for _ in range(_SIDE_BY_SIDE):
                group.create_task(play_series())
    return played


@contextlib.contextmanager
def _environment(name: str, value: str) -> Iterator[None]:
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before
