"""Kept answers in whole programs: what a list reads, what a known one imports, where it fails."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pytest

from sidecar.cli.answers import answer_file
from sidecar.corpus.stores import STORES
from tests.cli.program import Cli
from tests.generator import ERAS, generate

_PATH = re.compile(
    r'(?:AT_FDCWD|\d+)(?:<(?P<folder>[^>]*)>)?, "(?P<path>(?:[^"\\]|\\.)*)"|\("(?P<only>[^"]*)"'
)
_MOST_LISTS = 50


def _list(
    cli: Cli, *, before: Iterable[str] = (), flags: Iterable[str] = ()
) -> "subprocess.CompletedProcess[str]":
    command = [*before, sys.executable, *flags, "-m", "sidecar"]
    return subprocess.run(
        [*command, "list", "--root", str(cli.home / "store"), "--children", "--json"],
        cwd=cli.workspace,
        env={**cli.env, "SIDECAR_CACHE_DIR": str(cli.home / "cache")},
        capture_output=True,
        text=True,
        timeout=40,
        check=True,
    )


def _kept(cli: Cli) -> answer_file.Answer | None:
    folder = cli.home / "cache" / "lists"
    return answer_file.read(str(next(folder.iterdir()))) if folder.exists() else None


def _keep(cli: Cli) -> str:
    for _ in range(_MOST_LISTS):
        made = _list(cli).stdout
        if _kept(cli) is not None:
            return made
    raise AssertionError("no answer was kept")


@pytest.mark.slow
@pytest.mark.parametrize("product", [*STORES, "roo"])
def test_nothing_is_read_that_an_answer_is_not_compared_with(cli: Cli, product: str) -> None:
    """Every path that a list asks the system for is among the places of its answer."""
    store, trace = cli.home / "store", cli.home / "trace"
    store.mkdir()
    if product in STORES:
        STORES[product](store, 7, 1)
    else:
        generate(store, ERAS[3], 20)
    strace = ["strace", "-f", "-y", "-A", "-e", "trace=%file", "-o", str(trace)]
    for _ in range(_MOST_LISTS):
        shutil.rmtree(cli.home / "cache", ignore_errors=True)
        for _ in range(2):  # the first list reads the sessions, the second one is kept
            _list(cli, before=strace)
        if (answer := _kept(cli)) is not None:
            break
    else:
        raise AssertionError("no answer was kept")
    asked = {path for path in _asked(trace, cli.workspace) if path.startswith(f"{cli.home}{os.sep}")}
    asked = {path for path in asked if not path.startswith((str(cli.home / "cache"), str(cli.workspace)))}
    assert [path for path in asked if path.startswith(f"{store}{os.sep}")]
    places = dict(answer.places)
    ancestors = {str(parent) for path in places for parent in Path(path).parents}
    assert sorted(path for path in asked - ancestors if not _is_covered(path, places)) == []


def _asked(trace: Path, cwd: Path) -> Iterator[str]:
    for line in trace.read_text(errors="surrogateescape").splitlines():
        for match in _PATH.finditer(line):
            name = match["path"] if match["only"] is None else match["only"]
            yield os.path.normpath(os.path.join(match["folder"] or cwd, name))


def _is_covered(path: str, places: Mapping[str, int]) -> bool:
    """Return whether a change of the path shows: it, or the first missing folder above it, is listed."""
    whole = Path(path)
    missing = [each for each in (whole, *whole.parents) if not os.path.lexists(each)]
    return any(
        seen.is_relative_to(place) and len(seen.relative_to(place).parts) <= levels
        for place, levels in places.items()
        for seen in (whole, *missing[-1:])
    )


def test_the_paths_of_a_trace_are_found(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    trace.write_text(
        '1 newfstatat(AT_FDCWD</a>, "b", {}) = 0\n2 openat(3</c/d>, "e/f", O_RDONLY) = 4</c/d/e/f>\n'
        '3 readlink("/x/y", 0x7f) = -1\n'
    )
    assert {*_asked(trace, tmp_path)} == {"/a/b", "/c/d/e/f", "/x/y"}


def test_a_known_list_imports_nothing_that_reads_sessions(cli: Cli) -> None:
    # Measuring coverage imports modules of its own.
    cli.env = {name: value for name, value in cli.env.items() if not name.startswith("COVERAGE_")}
    generate(cli.home / "store", ERAS[3], 3)
    _keep(cli)
    imported = _list(cli, flags=["-X", "importtime"]).stderr
    assert "sidecar.cli.answers.known" in imported
    for heavy in ("msgspec", "click", "sqlite3", "pathlib", "typing", "json", "re"):
        assert not re.search(rf"\| +{heavy}$", imported, re.MULTILINE), heavy


def test_a_known_list_fails_as_one_that_is_made(cli: Cli) -> None:
    generate(cli.home / "store", ERAS[3], 3)
    options = f"list --root {cli.home / 'store'} --children --json"
    cli.env["SIDECAR_CACHE_DIR"] = str(cli.home / "cache")
    made = [cli.shell(f"sidecar {options} {end}") for end in _ENDS]
    for _ in range(_MOST_LISTS):
        cli.shell(f"sidecar {options} > {cli.home / 'out'}")
        if _kept(cli) is not None:
            break
    assert _kept(cli) is not None
    known = [cli.shell(f"sidecar {options} {end}") for end in _ENDS]
    assert [(each.returncode, each.stdout, each.stderr) for each in known] == [
        (each.returncode, each.stdout, each.stderr) for each in made
    ]


_ENDS = ("> /dev/full", ">&-", "| true; echo ${PIPESTATUS[0]}", "2>&-")
