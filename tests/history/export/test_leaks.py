"""Every format of a secret in every surrounding, with generated secrets of fixed seeds."""

from collections import Counter

import pytest

from sidecar.history.export.redaction import Redactor
from tests.history.export.secret_formats import COMMONEST, Sample, samples
from tests.history.export.surroundings import SURROUNDINGS, leaks

SEEDS = (1, 2)
SPELLED = {
    "percent",
    "url",
    "highlight",
    "unicodeEscapes",
    "namedEntities",
    "entitiesTwice",
    "bracedEscapes",
    "longEscapes",
    "octalEscapes",
    "percentFourfold",
    "escapedFiveTimes",
}
"""Surroundings that spell characters of a secret in another way."""
CATALOG = [sample for seed in SEEDS for sample in samples(seed)]


def leaking(sample: Sample, surrounding: str) -> bool:
    return leaks(sample, Redactor().text(SURROUNDINGS[surrounding](sample)))


def test_the_catalog_is_large_enough_to_judge_by() -> None:
    assert len(samples(1)) >= 140 and len(SURROUNDINGS) >= 25
    assert len(COMMONEST) >= 12


@pytest.mark.parametrize("surrounding", SURROUNDINGS)
def test_a_secret_is_there_before_redaction(surrounding: str) -> None:
    hidden_by_the_surrounding = {
        sample.name for sample in samples(1) if not leaks(sample, SURROUNDINGS[surrounding](sample))
    }
    assert surrounding in SPELLED or not hidden_by_the_surrounding


@pytest.mark.parametrize("surrounding", SURROUNDINGS)
def test_the_commonest_secrets_never_leak(surrounding: str) -> None:
    chosen = [sample for sample in CATALOG if sample.name in COMMONEST]
    assert [sample.name for sample in chosen if leaking(sample, surrounding)] == []


@pytest.mark.slow
@pytest.mark.parametrize("surrounding", SURROUNDINGS)
def test_few_secrets_leak_in_any_surrounding(surrounding: str) -> None:
    leaked = Counter(sample.name for sample in CATALOG if leaking(sample, surrounding))
    assert leaked.total() <= 0.02 * len(CATALOG), leaked


@pytest.mark.parametrize("name", COMMONEST)
@pytest.mark.parametrize("width", [40, 72, 80, 100, 132])
def test_a_common_secret_wrapped_at_a_width_does_not_leak(name: str, width: int) -> None:
    for sample in CATALOG:
        if sample.name != name:
            continue
        for indent in (0, width - 12, width - 6):
            text = "x" * max(0, indent - 1) + " " * bool(indent) + sample.text
            lines = [line[at : at + width] for line in text.split("\n") for at in range(0, len(line), width)]
            assert not leaks(sample, Redactor().text("\n".join(lines))), (indent, lines)


def test_a_key_of_a_console_with_its_place_in_the_script_does_not_leak() -> None:
    google = next(sample for sample in CATALOG if sample.name == "google")
    key = google.secrets[0]
    text = f'{{"apiKey":"{key[:28]} (index):658\n{key[28:]}","projectId":"x"}}'
    assert not leaks(google, Redactor().text(text))


def test_the_line_behind_a_whole_secret_stays() -> None:
    for sample in CATALOG:
        if sample.name in ("jwt", "githubClassic", "slack", "anthropic"):
            assert Redactor().text(f"{sample.text}\nNext line").endswith("]\nNext line")


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ('password="P@ssword1"', "P@ssword1"),
        ('password = "secret123"', "secret123"),
        ("DB_PASSWORD=my.pass.word1", "my.pass.word1"),
        ("PASSWORD=postgres", "postgres"),
        ("password:hunter2", "hunter2"),
        ("spring.datasource.password=hunter", "hunter"),
        ("PGPASSWORD=hunter psql", "hunter"),
        ("mysql -u root -phunter2 db", "hunter2"),
        ("redis://:hunter2@host:6379", "hunter2"),
        ("ftp://user:pa:ss@host/x", "pa:ss"),
        ("jdbc:mysql://h/db?user=a&password=hunter2", "hunter2"),
        ("ALTER USER bob WITH PASSWORD 'hunter22'", "hunter22"),
        ('password=\\\\\\"two words here\\\\\\"', "two words here"),
        ('"passwd": "kJ8,s(x)d"', "kJ8,s(x)d"),
    ],
)
def test_a_weak_password_is_found_by_its_name(text: str, secret: str) -> None:
    assert secret not in Redactor().text(text)
