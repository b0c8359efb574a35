"""A short campaign in each full test run; `scripts/campaign` plays longer ones."""

import random

import pytest

from tests.campaign.report import failures, markdown
from tests.campaign.run import play

ROUNDS = 60


@pytest.mark.slow
@pytest.mark.timeout(300)
async def test_what_a_killed_server_had_answered_is_true_afterwards() -> None:
    seed = random.randrange(1_000_000)  # of the test run, whose own seed repeats it
    rounds = await play(ROUNDS, seed)
    assert len(rounds) == ROUNDS and sum(each.runs for each in rounds) > ROUNDS
    assert not (broken := failures(rounds)), f"{markdown(rounds, seed)}\n{broken}"
