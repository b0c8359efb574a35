"""The JavaScript semantics agree with Node, a batch of values to a process."""

import json
import math
import os
import random
import subprocess
import time
import unicodedata
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from sidecar.javascript import values as js
from sidecar.javascript.dates import parse, to_locale_string
from sidecar.javascript.sorting import sort_by

Evaluate = Callable[[str, list[Any]], list[Any]]

_DATE_PARTS = """
1  5  12  13  31  32  02  49  50  99  100  2024  0  00  2024-01-05  2024-13-01  2024-02-31  20240105  +002024
-000001  -000000  1/2/2024  T  t  Z  z  T10  12:30  :  ::  -  +  .  (  (x)  )  ,  jan  January  MAR  may  am
PM  UTC  gmt  EST  pdt  foo  a  24:00  23:59:59.999  .5  .123456789012  +05:30  -0800  +5  -800  GMT-8  1e3
2024-01-05T10:00:00.000Z  Tue, 5 Mar 2024 10:11:12 GMT  2023-11-05 01:30  2023-03-12 02:30  1770482470358
271821-04-20  +275760-09-13T00:00:00Z  é  😀  2023-04-02 01:45  2023-10-01 02:15
"""
DATE_PARTS = ["\0", "\u2028", "\u00a0"] + [
    part for line in _DATE_PARTS.strip().splitlines() for part in line.split("  ")
]


SIZES = (2, 3, 20, 63, 64, 65, 130, 200, 333, 500, 900)
"""Lengths of lists to sort: below and above V8's shortest run, with few and many runs to merge."""


@pytest.fixture
def evaluate() -> Evaluate:
    """Map values through a JavaScript function in one Node process."""

    def run(function: str, values: list[Any]) -> list[Any]:
        source = f"const f = {function}; const v = JSON.parse(require('fs').readFileSync(0, 'utf8'));"
        source += "process.stdout.write(JSON.stringify(v.map((x) => f(x))))"
        command = ["node", "-e", source]
        text = json.dumps(values)
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=True, timeout=30)
        answers: list[Any] = json.loads(done.stdout)
        return answers

    return run


@pytest.fixture(params=["UTC", "America/New_York", "Australia/Lord_Howe"])
def zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield request.param
    monkeypatch.undo()
    time.tzset()


def doubles(count: int) -> list[float]:
    rng = random.Random(5)
    mixed = [rng.uniform(-1, 1) * 10.0 ** rng.randint(-12, 25) for _ in range(count)]
    return [
        0.0,
        5.0,
        -5.0,
        1e21,
        1e-6,
        1e-7,
        1.2345678901234568e20,
        5e-324,
        1.5,
        0.1,
        2.0**53,
        0.000001234,
        *mixed,
    ]


def test_numbers_are_printed_as_by_node(evaluate: Evaluate) -> None:
    values = doubles(500)
    assert [js.number_to_string(value) for value in values] == evaluate("String", values)


def test_amounts_are_fixed_to_two_places_as_by_node(evaluate: Evaluate) -> None:
    values = [0.125, 0.375, 1.005, 2.5, 562949953421312.125, *doubles(500)]
    assert [js.to_fixed(value, 2) for value in values] == evaluate("(x) => x.toFixed(2)", values)


def test_whole_numbers_are_grouped_as_by_node(evaluate: Evaluate) -> None:
    values = [float(int(abs(value))) for value in doubles(500)]
    assert [js.group_digits(value) for value in values] == evaluate("(x) => x.toLocaleString()", values)


def test_halves_are_rounded_as_by_node(evaluate: Evaluate) -> None:
    values = [
        0.5,
        1.5,
        2.5,
        -0.5,
        -1.5,
        0.49999999999999994,
        4503599627370497.5,
        100.49999999999999,
        *doubles(200),
    ]
    assert [js.round_half_up(value) for value in values] == list(map(float, evaluate("Math.round", values)))


def test_texts_become_numbers_as_by_node(evaluate: Evaluate) -> None:
    texts = [
        "",
        " ",
        "5",
        " 5\n",
        "+5",
        "-5",
        "1_0",
        "0x1F",
        "-0x1",
        "0b11",
        "0o17",
        "1e3",
        ".5",
        "5.",
        ".",
        "5px",
    ]
    texts += [
        "Infinity",
        "-Infinity",
        "+Infinity",
        "++Infinity",
        "infinity",
        "NaN",
        "١",
        "\ufeff7",
        "\u00857",
        "0x",
    ]
    numbers = [js.string_to_number(text) for text in texts]
    shown = ["NaN" if math.isnan(number) else js.number_to_string(number) for number in numbers]
    assert shown == evaluate("(x) => String(Number(x))", texts)


def test_every_character_is_trimmed_and_lowered_as_by_node(evaluate: Evaluate) -> None:
    values = [chr(code) + "aΣ" for code in range(0x3100) if unicodedata.category(chr(code)) != "Cn"]
    assert [js.trim(value) for value in values] == evaluate("(x) => x.trim()", values)
    assert [js.to_lower(value) for value in values] == evaluate("(x) => x.toLowerCase()", values)


def test_bad_utf_8_is_decoded_as_by_node(evaluate: Evaluate) -> None:
    rng = random.Random(7)
    pieces = [
        b"a",
        b"\xc3",
        b"\xa9",
        b"\xe2\x82",
        b"\xac",
        b"\xf0\x9f",
        b"\x98\x80",
        b"\xed\xa0\x80",
        b"\xff",
        b"\xef\xbb\xbf",
    ]
    samples = [b"".join(rng.choices(pieces, k=rng.randint(1, 6))) for _ in range(500)]
    decoded = evaluate("(x) => Buffer.from(x, 'hex').toString('utf-8')", [sample.hex() for sample in samples])
    assert [js.decode(sample) for sample in samples] == decoded


def test_dates_are_read_and_printed_as_by_node(evaluate: Evaluate, zone: str) -> None:
    rng = random.Random(11)
    texts = DATE_PARTS + [
        "".join(rng.choice(DATE_PARTS) + rng.choice(["", "", " "]) for _ in range(rng.randint(1, 5)))
        for _ in range(2_000)
    ]
    two = '"2-digit"'
    options = f'{{year:"numeric",month:{two},day:{two},hour:{two},minute:{two},second:{two}}}'
    function = f'(x) => [new Date(x).getTime(), new Date(x).toLocaleString("en-US", {options})]'
    times = [parse(text) for text in texts]
    ours = [[None if math.isnan(ms) else ms, to_locale_string(ms)] for ms in times]
    assert os.environ["TZ"] == zone and ours == evaluate(function, texts)


def test_lists_with_invalid_dates_are_ordered_as_by_node(evaluate: Evaluate) -> None:
    rng = random.Random(3)
    lists = [some_times(rng, size) for size in SIZES for _ in range(30)]
    function = "(v) => v.map((x, i) => [x ?? NaN, i]).sort((a, b) => b[0] - a[0]).map((p) => p[1])"
    ordered = [sort_by(range(len(times)), lambda at, times=times: key(times[at])) for times in lists]  # type: ignore[misc]
    assert ordered == evaluate(function, lists)


def some_times(rng: random.Random, size: int) -> list[int | None]:
    """Draw times with gaps, in runs that rise and fall, so that every way of merging is taken."""
    times = [rng.randrange(rng.choice([3, 50, 10**6])) for _ in range(size)]
    cut = rng.randrange(size)
    falling = sorted(times[:cut], reverse=True) + sorted(times[cut:], reverse=True)
    runs = rng.choice([times, sorted(times), falling, sorted(times[:cut]) + sorted(times[cut:])])
    share = rng.choice([0.003, 0.01, 0.05, 0.3])
    return [None if rng.random() < share else value for value in runs]


def key(value: int | None) -> float:
    return math.nan if value is None else -value
