"""Roots: the folders of stored tasks, and their products."""

import msgspec

from sidecar.api.stored.tasks import Product


class Root(msgspec.Struct, frozen=True):
    """An absolute path that holds sessions; `read_only` marks a foreign one, `product` its owner if known."""

    path: str
    read_only: bool = True
    product: Product | None = None
