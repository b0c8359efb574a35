"""Patterns with possessive groups match in every version of Python."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from sidecar.patterns import compiled, with_atomic_groups


@pytest.mark.parametrize(
    ("pattern", "rewritten"),
    [
        (r"a(?:b|c)*+d", r"a(?>(?:b|c)*)d"),
        (r"(?:a(?:b)?+c){2,3}+", r"(?>(?:a(?>(?:b)?)c){2,3})"),
        (r"(x)++\)*+[)(]*+[]()]?+[^]()\]]++", r"(?>(x)+)\)*+[)(]*+[]()]?+[^]()\]]++"),
        (r"(?<=\()(?:a)+(b){1}(c)", r"(?<=\()(?:a)+(b){1}(c)"),
    ],
)
def test_a_possessive_group_becomes_an_atomic_one(pattern: str, rewritten: str) -> None:
    assert with_atomic_groups(pattern) == rewritten
    assert with_atomic_groups(pattern.encode()) == rewritten.encode()


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        # The first two do not match in Python 3.11.2.
        (r"(?:[^/]|(?<=/)x(?=y)){1,64}+/", "bob/", "bob/"),
        (r"(?:\[(?!\])|\{x:)*+\[\]", "[[[]", "[[[]"),
        (r"(?:ab?c)*+d", "abcacd", "abcacd"),
        (r"(?:a|ab)*+b", "aab", "aab"),
        (r"(?:ab|a)*+b", "aab", None),
    ],
)
def test_a_possessive_group_matches_in_every_version(pattern: str, text: str, found: str | None) -> None:
    for each in (compiled(pattern), re.compile(with_atomic_groups(pattern))):
        match = each.fullmatch(text)
        assert (match and match[0]) == found


_RECORD = r"""
import importlib, pkgutil, re, sys
compile, group = re.compile, re.compile(r"\)(?:[*+?]|\{[0-9]*(?:,[0-9]*)?\})\+")

def recording(pattern, flags=0):
    text = pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern
    caller = sys._getframe(1).f_globals["__name__"]
    if group.search(text) and caller.startswith("sidecar.") and caller != "sidecar.patterns":
        print(caller)
    return compile(pattern, flags)

re.compile = recording
for module in sys.argv[1:]:
    importlib.import_module(module)
"""


@pytest.mark.slow
def test_possessive_groups_are_compiled_for_every_version() -> None:
    package = Path(__file__).parents[1] / "sidecar"
    modules = [
        ".".join(path.relative_to(package.parent).with_suffix("").parts)
        for path in package.rglob("*.py")
        if "+" in path.read_text() and "re.compile" in path.read_text()
    ]
    assert "sidecar.patterns" in modules
    done = subprocess.run(
        [sys.executable, "-c", _RECORD, *modules], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == ""
