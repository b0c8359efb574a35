"""Detect the product that wrote a task by marks in its files, else by its ID."""

from collections.abc import Callable, Collection
from typing import Final, TypeVar

from msgspec import Raw

from sidecar.api.stored.tasks import Product
from sidecar.history.stores.task_folders.ids import is_epoch_id
from sidecar.history.stores.task_folders.products import PRODUCTS
from sidecar.history.stores.task_folders.records import ListEntry, TaskMetadata, Usage

T = TypeVar("T")
Tests = list[tuple[Product, Callable[[T], bool]]]

_IN_ENTRY: Final[Tests[ListEntry]] = [(it.name, it.marks.entry) for it in PRODUCTS if it.marks.entry]
_IN_USAGE: Final[Tests[Usage]] = [(it.name, it.marks.usage) for it in PRODUCTS if it.marks.usage]
_IN_METADATA: Final[Tests[TaskMetadata]] = [
    (it.name, it.marks.metadata) for it in PRODUCTS if it.marks.metadata
]
_WEAK: Final[Tests[Usage]] = [(it.name, it.marks.weak_usage) for it in PRODUCTS if it.marks.weak_usage]
_WORDS: Final[dict[str | None, Product]] = {word: it.name for it in PRODUCTS for word in it.marks.words}
_OF_NOTES: Final[Product] = next(it.name for it in PRODUCTS if it.marks.notes_models)


def product_of_id(task_id: str) -> Product:
    """Guess the product from the form of an ID."""
    return "cline" if is_epoch_id(task_id) else "roo"


def detect_product(
    task_id: str,
    entry: ListEntry | None,
    metadata: TaskMetadata | None,
    notes: Collection[Raw],
    kinds: Collection[str | None],
    usages: Collection[Usage],
) -> tuple[Product, str]:
    """Return the product of a task whose root does not show it, and where its mark was found.

    `notes` are the `modelInfo` of the UI messages and `kinds` their kinds, which the caller already has.
    """
    if entry is not None and (product := _first(_IN_ENTRY, (entry,))):
        return product, "list entry"
    if product := _first(_IN_USAGE, usages):
        return product, "usage records"
    if metadata is not None and (product := _first(_IN_METADATA, (metadata,))):
        return product, "task_metadata.json"
    if product := _by_messages(notes, kinds):
        return product, "ui_messages.json"
    if product := _first(_WEAK, usages):
        return product, "usage records"
    return product_of_id(task_id), "the form of the ID"


def _first(tests: Tests[T], records: Collection[T]) -> Product | None:
    for product, test in tests:
        for record in records:
            if test(record):
                return product
    return None


def _by_messages(notes: Collection[Raw], kinds: Collection[str | None]) -> Product | None:
    """Return the product of the first mark; where all are of one product, without checking each message."""
    found = {_WORDS[kind] for kind in kinds if kind in _WORDS}
    if any(notes):
        found.add(_OF_NOTES)
    if len(found) < 2:
        return next(iter(found), None)
    return next(
        _OF_NOTES if note else _WORDS[kind]
        for note, kind in zip(notes, kinds, strict=True)
        if note or kind in _WORDS
    )
