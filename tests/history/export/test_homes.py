import json
from collections.abc import Callable
from typing import Final

import pytest

from sidecar.history.export.redaction import Redactor
from tests.history.export.home_forms import BESIDE, FORMS

NAMES = ("bob", "dana", "robert", "nkeller", "jane.doe", "zed42")
SURROUNDINGS: Final[dict[str, Callable[[str], str]]] = {
    "plain": lambda form: form,
    "quotes": lambda form: f'"{form}"',
    "parentheses": lambda form: f"({form})",
    "escaped newline": lambda form: json.dumps({"out": f"Root:\n{form}\nx"}),
    "escaped twice": lambda form: json.dumps({"out": json.dumps({"out": f"Root:\n{form}\nx"})}),
    "escaped tab": lambda form: json.dumps(f"a\t{form}"),
    "color": lambda form: f"\x1b[34m{form}\x1b[0m",
    "escaped color": lambda form: json.dumps(f"\x1b[34m{form}\x1b[0m"),
    "added line": lambda form: f"+{form}",
    "removed line": lambda form: f"-{form}",
    "line number": lambda form: f"12 | {form}",
    "assignment": lambda form: f"a={form}",
}


def test_there_are_sixty_forms() -> None:
    assert len(set(FORMS)) >= 60


@pytest.mark.parametrize("surrounding", SURROUNDINGS)
@pytest.mark.parametrize("name", NAMES)
def test_no_form_of_a_home_directory_keeps_its_owner(name: str, surrounding: str) -> None:
    texts = [SURROUNDINGS[surrounding](form.replace("NAME", name)) for form in FORMS]
    assert [text for text in texts if name in Redactor().text(text).lower()] == []


@pytest.mark.parametrize("form", BESIDE)
@pytest.mark.parametrize("name", NAMES[1:])
def test_a_name_met_in_a_home_directory_is_found_elsewhere(name: str, form: str) -> None:
    redacted = Redactor().text(f"{form.replace('NAME', name)}\n/home/{name}/x")
    assert name not in redacted.lower()


def test_a_name_is_found_in_texts_before_the_one_that_tells_it() -> None:
    redactor = Redactor()
    redactor.learn([{"text": "by nkeller"}, "C:\\Users\\nkeller\\x"])
    assert redactor.text("by nkeller") == "by [redacted: userName]"


@pytest.mark.parametrize(
    "text",
    [
        "/home/mark and then: mark this",
        "/home/user and the user",
        "/home/node and node index.js",
        "/home/runner/work and a runner",
        "/home/bob and bobby",
        "/home/dana and a bandana",
    ],
)
def test_words_are_not_names(text: str) -> None:
    path, _, rest = text.partition(" ")
    assert Redactor().text(text) == f"~{path[len('/home/') :].partition('/')[1] and '/work'} {rest}"


def test_the_own_home_of_any_form_gives_its_name_away() -> None:
    redactor = Redactor(home="/data/people/nkeller")
    assert redactor.text("/data/people/nkeller/x of nkeller") == "~/x of [redacted: userName]"


@pytest.mark.parametrize(
    "text",
    [
        "src/home/index.tsx and /homes/x",
        "https://example.com/home/page and https://example.com/users/7",
        ".nav-home-icon { color: var(--home-color) }",
        "mask = ~flags / 2; a ~b",
        "git@github.com:org/repo.git and me@example.com",
        "/Users/Shared/x and C:\\Users\\Public\\x",
        "$HOME/home/x and ./home/x",
    ],
)
def test_ordinary_text_stays(text: str) -> None:
    assert Redactor().text(text) == text
