"""Three lists of 2,000 tasks agree after each change: a server's, a command's and one without any cache.

All readers are bound by permissions. The server's list is asked for again only when the server
announced a change, as an editor does.
"""

import asyncio
import time

import pytest

from tests.e2e.agreement import files, folders, roots
from tests.e2e.agreement.lists import PATIENCE_SECONDS, Lists, check
from tests.e2e.agreement.place import Change, Place

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]

CRASHED_SECONDS = 31.0
"""After this, a save that did not end is a crash."""
CHANGES = (*roots.CHANGES, *folders.CHANGES, *files.CHANGES)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
async def test_the_lists_agree_soon_after_a_change(place: Place, lists: Lists, change: Change) -> None:
    assert lists.known == place.ids
    expected = await asyncio.to_thread(change, place)
    _, tasks = await lists.until_agreed()
    check(tasks, expected)


async def test_a_save_that_never_ends_becomes_a_crash(place: Place, lists: Lists) -> None:
    expected = await asyncio.to_thread(files.files_being_saved, place)
    began = time.monotonic()
    _, tasks = await lists.until_agreed()
    check(tasks, expected)
    # The locks grow old as well, and nothing on the disk changes when they do.
    await asyncio.wait_for(lists.until("recovered", place.some), CRASHED_SECONDS + PATIENCE_SECONDS)
    assert time.monotonic() - began > CRASHED_SECONDS - 1
    _, tasks = await lists.until_agreed()
    ids, values = expected
    check(tasks, (ids, {name: {**each, "codes": {"recovered"}} for name, each in values.items()}))
