"""What an answer of Kilo cost: its message also has the cost of subagents, its steps do not."""

import pytest

from sidecar.api.stored.tasks import Product
from sidecar.history.stores.opencode.content import Content, Header, Json, Message, Part
from sidecar.history.stores.opencode.rows import session_of

STEP: list[Json] = [{"type": "step-start"}, {"type": "step-finish", "reason": "stop", "cost": 0.1}]


def cost(product: Product, parts: list[Json]) -> float | None:
    data: Json = {"role": "assistant", "cost": 0.5, "tokens": {"input": 5, "output": 5}}
    given: list[Json] = [{"type": "text", "text": "done"}, *parts]
    message = Message("m", data, [Part(f"p{place}", part) for place, part in enumerate(given)])
    session = session_of(Content(Header("s"), [message], 1, "kilo.db", "/kilo.db"), product)
    assert session is not None
    assert session.usage is not None
    return session.usage.cost


@pytest.mark.parametrize(
    ("product", "parts", "expected"),
    [
        ("kilo", [*STEP, *STEP], 0.2),
        ("kilo", [*STEP, STEP[0]], 0.5),
        ("kilo", [STEP[0]], 0.5),
        ("kilo", [*STEP, {**STEP[1], "cost": "?"}], 0.5),
        ("opencode", STEP, 0.5),
    ],
)
def test_the_steps_tell_the_own_cost_if_none_is_lost(
    product: Product, parts: list[Json], expected: float
) -> None:
    assert cost(product, parts) == pytest.approx(expected)
