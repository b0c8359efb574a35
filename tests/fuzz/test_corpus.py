"""The saved corpus, as it is and deterministically mutated, goes through every reader."""

from pathlib import Path
from random import Random

import pytest

from tests.fuzz.target import read_all

CORPUS = sorted((Path(__file__).parent / "corpus").iterdir())
MUTATIONS = 12


def mutated(data: bytes, random: Random) -> bytes:
    """Cut, double, flip or splice in what JSON is made of."""
    start, end = sorted(random.randrange(len(data) + 1) for _ in range(2))
    kind = random.randrange(4)
    if kind == 0:
        return data[:start] + data[end:]
    if kind == 1:
        return data[:end] + data[start:]
    if kind == 2:
        return data[:start] + bytes([random.randrange(256)]) + data[start + 1 :]
    return (
        data[:start] + random.choice([b'"', b"\\", b"[", b"}", b",", b"\0", b"1e999", b"\xff"]) + data[start:]
    )


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.name)
def test_a_saved_input_and_its_mutations_are_read(path: Path) -> None:
    random = Random(path.name)
    data = path.read_bytes()
    read_all(data)
    for _ in range(MUTATIONS):
        read_all(mutated(data, random))


def test_there_is_a_corpus() -> None:
    assert len(CORPUS) >= 30
