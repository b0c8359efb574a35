import json
import re
from collections.abc import Callable
from typing import Final

import pytest

from sidecar.history.export.redaction import Redactor
from tests.history.export.home_forms import FORMS, LINES, NEIGHBORS

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
    "box": lambda form: f"\u2502 {form} \u2502",
    "escaped box": lambda form: json.dumps(f"a\n\u2502 {form} \u2502"),
    "line number": lambda form: f"12 | {form}",
    "assignment": lambda form: f"a={form}",
}


def test_there_are_enough_forms() -> None:
    assert len(set(FORMS)) >= 130


@pytest.mark.parametrize("surrounding", SURROUNDINGS)
@pytest.mark.parametrize("name", NAMES)
def test_no_form_of_a_home_directory_keeps_its_owner(name: str, surrounding: str) -> None:
    texts = [SURROUNDINGS[surrounding](re.sub("(?<![A-Z])NAME", name, form)) for form in FORMS]
    assert [text for text in texts if name in Redactor().text(text).lower()] == []


@pytest.mark.parametrize(
    "surrounding", ["plain", "escaped newline", "color", "added line", "line number", "box"]
)
@pytest.mark.parametrize("name", NAMES)
def test_no_line_of_a_listing_keeps_its_user(name: str, surrounding: str) -> None:
    texts = [SURROUNDINGS[surrounding](line.replace("NAME", name)) for line in LINES]
    assert [text for text in texts if name in Redactor().text(text).lower()] == []


@pytest.mark.parametrize("form", NEIGHBORS)
@pytest.mark.parametrize("name", NAMES[1:])
def test_a_name_met_in_a_home_directory_is_found_elsewhere(name: str, form: str) -> None:
    redacted = Redactor().text(f"{form.replace('NAME', name)}\n/home/{name}/x")
    assert name not in redacted.lower()


def test_a_name_is_found_in_texts_before_the_one_that_reveals_it() -> None:
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
        "/home/linuxbrew/x and linuxbrew on linux",
        "/home/vscode/x and vscode",
        "/home/ubuntu/x and ubuntu",
        "/home/anthropic/x and anthropic",
        "/home/www-data/x and www-data",
        "/home/bob and bobby",
        "/home/dana and a bandana",
    ],
)
def test_words_are_not_names(text: str) -> None:
    path, _, rest = text.partition(" ")
    _, slash, folder = path.removeprefix("/home/").partition("/")
    assert Redactor().text(text) == f"~{slash}{folder} {rest}"


@pytest.mark.parametrize(
    "path", ["/home/o'neil", "/Users/o'neil", "C:\\Users\\O'Neil", "/home/d'arcy-o'neil"]
)
def test_an_apostrophe_inside_a_name_belongs_to_it(path: str) -> None:
    assert Redactor().text(f"{path}/x, '{path}' and '{path}'s") == "~/x, '~' and '~'s"


def test_a_quote_ends_a_home_directory() -> None:
    assert Redactor().text("'/home/bob''/home/dana'") == "'~''~'"
    assert Redactor().text("cp '/home/bob'/x 'y'") == "cp '~'/x 'y'"
    assert Redactor().text("a='/home/bob'or'b'") == "a='~'or'b'"


def test_what_follows_a_tilde_is_not_a_name_to_look_for() -> None:
    assert Redactor().text("~acmecorp/sdk of acmecorp") == "~/sdk of acmecorp"


def test_the_own_home_in_any_form_reveals_its_name() -> None:
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
        "/media/images/logo and /media/uploads/2025",
        "/home/index.html and /opt/app/home/views.py",
        "~anthropic/claude-opus-latest and ~openai/gpt-latest",
        "<root>text</root>",
        'user: string; USER: string; "username": "name"',
        "USER=postgres and USER=$USER and USER=runner",
        "uid=0(root) gid=0(root) groups=0(root),27(sudo)",
        "https://example.com/u/7 and //cdn.example.com/lib/x.js",
    ],
)
def test_ordinary_text_stays(text: str) -> None:
    assert Redactor().text(text) == text
