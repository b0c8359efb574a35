"""What dies in a round: the Host, a client, an agent, or several of them."""

import random
from dataclasses import dataclass

from tests.campaign.killing import Kill, plan_kill

ACTING_SECONDS = 1.2
CLIENT_WAYS = ("connection", "pipes", "does not read")
"""How a client ends: its relay dies, its pipes close, or it stops to read and closes them later."""
_VICTIMS = {
    ("Host",): 8,
    ("client",): 3,
    ("agent",): 2,
    ("pause",): 2,
    ("client", "Host"): 4,
    ("agent", "Host"): 3,
    ("agent", "client"): 2,
    ("pause", "client"): 1,
}


@dataclass(frozen=True)
class Plan:
    """What happens to whom in a round; times are in s since the start of the Host.

    `host` is None where the Host survives. `pause` is how long the Host is stopped, 0 for not at all.
    """

    victims: tuple[str, ...]
    host: Kill | None
    client_at: float | None
    client_way: str
    agent_at: float | None
    pause_at: float
    pause: float

    @property
    def way(self) -> str:
        """Name the kind, for the table."""
        return " and ".join(self.victims)


def plan_round(dice: random.Random) -> Plan:
    """Choose what happens."""
    victims = dice.choices(list(_VICTIMS), list(_VICTIMS.values()))[0]

    def moment() -> float:
        return dice.uniform(0.2, ACTING_SECONDS)

    return Plan(
        victims,
        host=plan_kill(dice, ACTING_SECONDS) if "Host" in victims else None,
        client_at=moment() if "client" in victims else None,
        client_way=dice.choice(CLIENT_WAYS),
        agent_at=moment() if "agent" in victims else None,
        pause_at=dice.uniform(0.0, ACTING_SECONDS),
        pause=dice.choice([0.3, 1.0, 3.0]) if "pause" in victims else 0.0,
    )
