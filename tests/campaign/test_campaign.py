"""Short campaigns in each full test run; `scripts/campaign` plays longer ones."""

import random

import pytest

from tests.campaign.report import failures, markdown, replace_section
from tests.campaign.run import play, play_shared
from tests.campaign.sharing.report import markdown as sharing_markdown

ROUNDS = 60
SHARED_ROUNDS = 30


@pytest.mark.slow
@pytest.mark.timeout(300)
async def test_what_a_killed_server_had_answered_is_true_afterwards() -> None:
    seed = random.randrange(1_000_000)  # of the test run, whose own seed repeats it
    rounds = await play(ROUNDS, seed)
    assert len(rounds) == ROUNDS and sum(each.runs for each in rounds) > ROUNDS
    assert not (broken := failures(rounds)), f"{markdown(rounds, seed)}\n{broken}"


@pytest.mark.slow
@pytest.mark.timeout(300)
async def test_clients_agents_and_the_host_they_share_die_without_harm_to_others() -> None:
    seed = random.randrange(1_000_000)
    rounds = await play_shared(SHARED_ROUNDS, seed)
    assert len(rounds) == SHARED_ROUNDS and sum(each.runs for each in rounds) > SHARED_ROUNDS
    assert not (broken := failures(rounds)), f"{sharing_markdown(rounds, seed)}\n{broken}"


def test_a_section_of_the_results_is_replaced_and_others_stay() -> None:
    document = replace_section("", "# One\n\nold\n")
    document = replace_section(document, "# Two\n\ntext\n")
    assert replace_section(document, "# One\n\nnew\n") == "# One\n\nnew\n\n# Two\n\ntext\n"
