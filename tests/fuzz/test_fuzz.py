"""Every reader of bytes that others write reads seeds and their mutations.

FUZZ_SEED selects the mutations. It is constant unless set; CI sets it to the date.
"""

import os
from pathlib import Path
from random import Random

import pytest

from tests.fuzz.mutation import mutated
from tests.fuzz.targets import TARGETS

SEED = os.environ.get("FUZZ_SEED", "fixed")
MUTATIONS = {"stored": 10}
MOST_MUTATIONS = 200
SHOWN_BYTES = 2_000

CASES = [(name, seed) for name, target in TARGETS.items() for seed in target.seeds]


def checked(target: str, data: bytes) -> None:
    """Read an input; a failure names what reproduces it."""
    try:
        TARGETS[target].read(data)
    except Exception as error:
        error.add_note(f"FUZZ_SEED={SEED}, an input of {target}: {data[:SHOWN_BYTES]!r}")
        raise


@pytest.mark.parametrize(("target", "seed"), CASES)
def test_an_input_and_its_mutations_are_read(target: str, seed: str, tmp_path: Path) -> None:
    random = Random(f"{SEED}/{target}/{seed}")
    for data in TARGETS[target].seeds[seed](tmp_path):
        checked(target, data)
        for _ in range(MUTATIONS.get(target, MOST_MUTATIONS)):
            checked(target, mutated(data, random))


def test_the_same_seed_makes_the_same_mutations() -> None:
    first, second = Random("a"), Random("a")
    assert [mutated(b"{}", first) for _ in range(50)] == [mutated(b"{}", second) for _ in range(50)]


def test_a_failure_names_the_seed_and_the_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TARGETS, "broken", type(TARGETS["texts"])(lambda data: 1 / 0, {}))  # type: ignore[arg-type]
    with pytest.raises(ZeroDivisionError) as raised:
        checked("broken", b"x")
    assert f"FUZZ_SEED={SEED}" in raised.value.__notes__[0]
    assert "b'x'" in raised.value.__notes__[0]


def test_every_kind_of_damage_is_an_input() -> None:
    made = [seed for target, seed in CASES if target == "stored"]
    assert len(made) == len(set(made)) > len(TARGETS)
