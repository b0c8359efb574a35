"""Recognize stores of newer products whose formats are not supported yet."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from sidecar.history.stores.task_folders.products import PRODUCTS
from sidecar.history.stores.task_folders.products.successors import UnsupportedStore


def unsupported_stores(
    roots: Iterable[str], home: Path | None = None, environ: Mapping[str, str] | None = None
) -> list[UnsupportedStore]:
    """Find the stores of later versions in `roots` and, with a `home`, in their default places.

    Only directory entries are read. Databases come last.
    """
    environ = os.environ if environ is None else environ
    homes = [each for it in PRODUCTS for each in it.successor_homes(home, environ)] if home else []
    found: dict[str, UnsupportedStore] = {}
    for base in (*map(Path, roots), *homes):
        for product in PRODUCTS:
            for store in product.successors(base):
                found.setdefault(os.path.realpath(store.path), store)
    return sorted(found.values(), key=lambda store: (store.sessions is None, store.product))
