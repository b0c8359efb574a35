"""What a Host keeps in memory about ends, and the bounds of it."""

from sidecar.app.host import Host
from sidecar.app.outbound.owners import LEAST
from sidecar.subagents.reminders.deliveries import REMEMBERED_DELIVERIES, REMEMBERED_ITEMS
from tests.simulation.ledger import Broken
from tests.simulation.world import MAX_TASKS, World


def check_memory(world: World) -> None:
    """Check that memory is bounded by what waits, however much has ended. Raises Broken."""
    host = world.life.host
    waiting = len(world.ledger.waiting(lambda place: True))
    running = len(world.life.running)
    for name, (size, limit) in sizes(host, waiting, running, len(world.clients)).items():
        if size > limit:
            raise Broken(f"{name}: {size} are kept; {limit} are enough for {waiting} waiting ends")


def sizes(host: Host, waiting: int, running: int, clients: int) -> dict[str, tuple[int, int]]:
    """Return how much is kept, and how much may be."""
    reminders, outbox = host.reminders, host.reminders.outbox
    remembered = waiting + REMEMBERED_ITEMS
    return {
        "tasks of the manager": (len(host.manager.get_all_tasks()), 2 * MAX_TASKS + running + waiting),
        "items of the outbox": (len(outbox.items()), remembered + REMEMBERED_ITEMS),
        "deliveries of the outbox": (
            sum(len(item.deliveries) for item in outbox.items()),
            remembered * REMEMBERED_DELIVERIES,
        ),
        "cancelled ends": (len(outbox._cancelled), waiting),
        "restored ends": (len(outbox._restored), waiting),
        "requests for turns": (len(outbox._triggers), clients),
        "recipients": (len(outbox._recipients), clients + 1),
        "loops": (len(reminders._loops), clients),
        "live runs": (len(host.registry._live), running),
        "owners": (len(reminders.owners), 2 * (remembered + REMEMBERED_ITEMS) + LEAST),
    }
