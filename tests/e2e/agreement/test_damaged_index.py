"""Three lists agree when the index of one of them is damaged under a living server."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.agreement.conftest import StartLists
from tests.e2e.agreement.damages import DAMAGES
from tests.e2e.agreement.files import files_replaced
from tests.e2e.agreement.lists import Lists, check
from tests.e2e.agreement.place import Place

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
async def test_a_damaged_cache_changes_no_list(
    place: Place, lists: Lists, start_lists: StartLists, damage: Callable[[Path], None]
) -> None:
    await lists.until_agreed()
    files = [*(place.home / "cache" / "index").glob("*.db")]
    assert files
    for file in files:
        damage(file)
    expected = await asyncio.to_thread(files_replaced, place)
    _, tasks = await lists.until_agreed()
    check(tasks, expected)
    await lists.client.close()
    again = await start_lists(place)
    assert again.known == place.ids
    _, tasks = await again.until_agreed()
    check(tasks, expected)
