"""A gateway that dies as soon as it has created an actor, which waits one second for its agent to start."""

import os
import sys
from typing import Any

from sidecar.fleet import actor, gateway
from sidecar.fleet.places.places import RunPlaces


class ImpatientActor(actor.RunActor):
    """Defined in the main program, so that it travels to the node as it is."""

    def __init__(self, *args: Any) -> None:
        from sidecar.fleet import actor as module

        module.START_SECONDS = 1.0
        super().__init__(*args)


async def _die(self: RunPlaces, created: Any) -> Any:
    await created.__ray_ready__.remote()
    sys.stderr.flush()
    os._exit(1)


if __name__ == "__main__":
    import asyncio

    actor.RunActor = ImpatientActor  # type: ignore[assignment, misc]
    RunPlaces._placed = _die  # type: ignore[assignment, method-assign]
    asyncio.run(gateway.main())
