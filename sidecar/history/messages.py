"""Stored messages of every product and era in one shape."""

from typing import Literal

from sidecar.api.tasks import Product, StoredMessage


def normalise(
    kind: Literal["ui", "api"], index: int, message: object, product_hint: Product | None = None
) -> StoredMessage:
    """Bring one stored message into the common shape."""
    raise NotImplementedError
