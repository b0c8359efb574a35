"""Recognize the files of opencode or Kilo, and the product of a session, by name and version. Pure."""

import re
from typing import Final

from sidecar.api.stored.tasks import Product
from sidecar.history.stores.opencode.content import Content

DATABASE: Final = re.compile(r"(?P<product>opencode|kilo)(?:-[\w.]+)?\.db")
"""The names of databases; the release channel follows the product."""
LOG: Final = re.compile(rf"{DATABASE.pattern}-(?:wal|journal)")
_KILO: Final = re.compile(r"(?:[5-9]|\d\d)\.")
"""The versions of Kilo, whose files have the same names as those of opencode."""


def product_of(content: Content | None, default: Product | None) -> Product:
    """Return the product by the database's name or the version in a file; `default` is that of the root."""
    named = DATABASE.fullmatch(content.source) if content is not None else None
    if named is not None:
        return "kilo" if named["product"] == "kilo" else "opencode"
    if content is not None and content.header.version is not None:
        return "kilo" if _KILO.match(content.header.version) else "opencode"
    return default or "opencode"
