"""Secrets that are broken at any place, also inside their prefix or the text that announces them."""

import json
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Final

import pytest

from sidecar.history.export.redaction import Redactor
from tests.history.export.breaks import BREAKS
from tests.history.export.secret_formats import COMMONEST, Sample, samples
from tests.history.export.surroundings import leaks

LINE_ENDS: Final[dict[str, Callable[[str], str]]] = {
    "unix": lambda text: text,
    "windows": lambda text: text.replace("\n", "\r\n"),
    "json": lambda text: json.dumps({"out": text}),
}


def places(text: str, step: int) -> list[int]:
    """List places inside a text, every few characters and close to its ends; none is at a line's end."""
    near = (1, 2, 3, len(text) - 2, len(text) - 1, *range(4, len(text), step))
    return sorted({at for at in near if 0 < at < len(text) and "\n" not in text[at - 1 : at + 1]})


def leaking(chosen: Iterable[Sample], spelled: Callable[[str, int], str], step: int) -> list[tuple[str, int]]:
    return [
        (sample.name, at)
        for sample in chosen
        for at in places(sample.text, step)
        if leaks(sample, Redactor().text(spelled(sample.text, at)))
    ]


@pytest.mark.parametrize("density", [1, pytest.param(4, marks=pytest.mark.slow)])
@pytest.mark.parametrize("ends", LINE_ENDS)
@pytest.mark.parametrize("name", BREAKS)
def test_the_commonest_secrets_broken_anywhere_never_leak(name: str, ends: str, density: int) -> None:
    chosen = [sample for sample in samples(1) if sample.name in COMMONEST]
    step = (12 if ends == "unix" else 44) // density
    assert leaking(chosen, lambda text, at: LINE_ENDS[ends](BREAKS[name](text, at)), step) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", BREAKS)
def test_few_secrets_of_any_format_leak_when_broken(name: str) -> None:
    chosen = samples(1)
    leaked: Counter[str] = Counter()
    for sample in chosen:
        secret = max(sample.secrets, key=len)
        at = sample.text.index(secret) + len(secret) // 2
        leaked[sample.name] += leaks(sample, Redactor().text(BREAKS[name](sample.text, at)))
    assert leaked.total() <= 0.02 * len(chosen), +leaked
