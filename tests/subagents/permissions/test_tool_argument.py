"""Which calls the words in parentheses behind a tool allow."""

import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.subagents.permissions.question import Question
from sidecar.subagents.permissions.tool_argument import allows, problem
from tests.bounded import bounded

WORKSPACE = Path("/projects/space")


def runs(arguments: list[str], line: str) -> bool:
    asked = Question(request_id="1", title="Run", options=(), tool_kind="execute", command=line)
    return allows(arguments, "execute", asked, WORKSPACE)


def touches(argument: str, *paths: str, workspace: Path = WORKSPACE) -> bool:
    asked = Question(request_id="1", title="Edit", options=(), tool_kind="edit", paths=paths)
    return allows([argument], "edit", asked, workspace)


def fetches(argument: str, url: str | None) -> bool:
    asked = Question(request_id="1", title="Fetch", options=(), tool_kind="fetch", url=url)
    return allows([argument], "fetch", asked, WORKSPACE)


@pytest.mark.parametrize(
    ("argument", "line"),
    [
        ("git:*", "git"),
        ("git:*", "git log --oneline"),
        ("git *", "git"),
        ("git log:*", "git log -3"),
        ("git*", "gitk"),
        ("npm run build", "npm run build"),
        ("npm run build", " npm  run build "),
        ("* --version", "node --version"),
        ("git * main", "git push origin main"),
        ("git:*", "git commit -m 'one; two && three'"),
        ("git:*", "git log 2>&1"),
        ("git:*", "git log 2>/dev/null && git diff >/dev/null"),
        ("git:*", "git add .\ngit commit"),
        ('grep "a|b" x', 'grep "a|b" x'),
    ],
)
def test_a_command_fits(argument: str, line: str) -> None:
    assert runs([argument], line)


@pytest.mark.parametrize(
    ("argument", "line"),
    [
        ("git:*", "gitk"),
        ("git log:*", "git push"),
        ("git log", "git log -3"),
        ("git:*", "git log; rm x"),
        ("git:*", "git log\nrm x"),
        ("git:*", "git log | sh"),
        ("git:*", "git log & rm x"),
        ("git:*", "git log || rm x"),
        ("git:*", "git log $(rm x)"),
        ("git:*", "git log `rm x`"),
        ("git:*", "git diff <(rm x)"),
        ("git:*", "git log > ~/.profile"),
        ("git:*", "git log $'\\'' ; rm x #'"),
        ("git:*", "git log >&1\x0bname"),
        ("git:*", "git log 2>/dev/null\x0b/name"),
        ("git:*", "git log >&1\xa0name"),
        ("git:*", "git log >&2\u2028"),
        ("git:*", "git log # '\nrm x # '"),
        ("git:*", "git log \\ 2>&1; rm x"),
        ("git:*", "git log 'x"),
        ("git:*", r"git ${z:='\140rm x\140'} ${z@P}"),
        ("git:*", 'git "${z}"'),
        ("git:*", "git $[x]"),
        ("git:*", "git $((x))"),
        ("git:*", "git $z"),
        ("git:*", "'git log' x"),
        ("git:*", "PATH=. git log"),
        ("git:*", ""),
        ("git:*", "git\rstatus"),
        ("git:*", "git status\r; rm x"),
        ("git:*", "git log\0; rm x"),
        ("git:*", f"git log {'x' * 10_000}"),
        ("git:*", "git log;" * 200),
    ],
)
def test_a_command_does_not_fit(argument: str, line: str) -> None:
    assert not runs([argument], line)


_WORDS = [
    "git",
    "other",
    " ",
    " ",
    "\t",
    "\n",
    ";",
    "|",
    "&",
    "'",
    '"',
    "\\",
    "$",
    "#",
    "!",
    "=",
    "2>&1",
    "{",
    "}",
]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(_WORDS), max_size=12))
def test_a_shell_runs_nothing_else_in_a_line_that_fits(words: list[str]) -> None:
    line = f"git {''.join(words)}"
    if not runs(["git:*"], line):
        return
    # Without a PATH the shell names all but its own commands instead of running them.
    script = f"PATH=; git() {{ :; }}; command_not_found_handle() {{ echo ran $1; }}\n{line}"
    reported = subprocess.run(
        ["/bin/bash", "-c", script], capture_output=True, text=True, timeout=10, check=False
    )
    assert "ran" not in reported.stdout


@pytest.mark.parametrize(
    ("place", "does"),
    [
        ({"cwd": str(WORKSPACE)}, True),
        ({"workdir": "sub"}, True),
        ({"cwd": ""}, True),
        ({"cwd": "/elsewhere"}, False),
        ({"workingDirectory": ".."}, False),
        ({"dir_path": "~"}, False),
        ({"cwd": ".", "directory": "/elsewhere"}, False),
        ({"cwd": ["/elsewhere"]}, False),
    ],
)
def test_a_command_fits_only_in_the_workspace(place: dict[str, Any], does: bool) -> None:
    asked = Question(
        request_id="1", title="Run", options=(), tool_kind="execute", command="npm test", arguments=place
    )
    assert allows(["npm test"], "execute", asked, WORKSPACE) is does


def test_each_command_of_a_line_may_fit_another_argument() -> None:
    assert runs(["git:*", "npm test"], "git pull && npm test")


def test_an_unknown_command_line_fits_nothing() -> None:
    asked = Question(request_id="1", title="git log", options=(), tool_kind="execute")
    assert not allows(["git:*"], "execute", asked, WORKSPACE)


@pytest.mark.parametrize(
    ("argument", "path"),
    [
        ("src/**", "/projects/space/src/deep/a.py"),
        ("./src/*.py", "src/a.py"),
        ("/src/**", "src/a.py"),
        ("src/", "src/deep/a.py"),
        ("*.py", "src/deep/a.py"),
        ("**/test_*", "a/b/test_c.py"),
        ("//etc/hosts", "/etc/hosts"),
        ("../other/**", "/projects/other/a"),
    ],
)
def test_a_path_fits(argument: str, path: str) -> None:
    assert touches(argument, path)


@pytest.mark.parametrize(
    ("argument", "path"),
    [
        ("src/**", "lib/a.py"),
        ("src/**", "src/../lib/a.py"),
        ("src/*.py", "src/deep/a.py"),
        ("**", "/etc/hosts"),
        ("*.py", "/etc/a.py"),
        ("//etc/hosts", "etc/hosts"),
        ("!a", "a"),
        ("src/**", "src"),
        ("src/**", "src/a\0b"),
        ("src/**", "src/\ud800"),
        ("**", "~/.profile"),
        ("**", "~other/.profile"),
        ("**", "a/" * 3_000),
        ("src/\0*", "src/a"),
    ],
)
def test_a_path_does_not_fit(argument: str, path: str) -> None:
    assert not touches(argument, path)


def test_all_paths_of_a_call_have_to_fit_and_there_have_to_be_some() -> None:
    assert touches("src/**", "src/a", "src/b")
    assert not touches("src/**", "src/a", "b")
    assert not touches("src/**")


def test_home_is_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    assert touches("~/notes/*.md", "/home/me/notes/a.md")
    assert not touches("~/notes/*.md", "/projects/space/notes/a.md")


def test_links_lead_where_they_lead(tmp_path: Path) -> None:
    workspace = tmp_path / "with [brackets]"
    (workspace / "src").mkdir(parents=True)
    (workspace / "src" / "out").symlink_to(tmp_path)
    (tmp_path / "link").symlink_to(workspace)
    assert touches("src/**", "src/a", workspace=tmp_path / "link")
    assert not touches("src/**", "src/out/a", workspace=workspace)


def test_a_link_of_the_repository_does_not_widen_a_rule(tmp_path: Path) -> None:
    home, workspace = tmp_path / "home", tmp_path / "space"
    (workspace / "lib" / "deep").mkdir(parents=True)
    home.mkdir()
    for name, target in {"src": home, "all": ".", "lib/mid": home, "lib/in": "deep"}.items():
        (workspace / name).symlink_to(str(target))
    for argument in (
        "src/**",
        "src",
        "./src/*",
        "all/**",
        "lib/mid/**",
        "lib/mid/a",
        "lib/../src/**",
        "lib/in/**",
    ):
        for path in ("src/a", str(home / "a"), "all/lib/a", "lib/mid/a", "lib/in/a"):
            assert not touches(argument, path, workspace=workspace)
    assert touches("lib/**", "lib/in/a", workspace=workspace)


def test_a_link_that_is_made_later_does_not_widen_a_rule(tmp_path: Path) -> None:
    home, workspace = tmp_path / "home", tmp_path / "space"
    (workspace / "src").mkdir(parents=True)
    home.mkdir()
    assert touches("src/**", "src/a", workspace=workspace)
    (workspace / "src").rmdir()
    (workspace / "src").symlink_to(home)
    assert not touches("src/**", "src/a", workspace=workspace)
    assert not touches("src/**", str(home / "a"), workspace=workspace)


def test_the_users_own_links_are_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "home").symlink_to(tmp_path / "real")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert touches("~/notes/*", str(tmp_path / "real/notes/a"))
    assert touches(f"/{tmp_path}/home/**", str(tmp_path / "home/a"))


def test_a_chain_of_links_that_nothing_opens_fits_nothing(tmp_path: Path) -> None:
    for number in range(1_500):
        (tmp_path / f"l{number}").symlink_to(f"l{number + 1}")
    assert not touches("**", "l0", workspace=tmp_path)
    assert not touches("l0/**", "l0/a", workspace=tmp_path)


@pytest.mark.parametrize(
    ("argument", "url", "does"),
    [
        ("domain:example.com", "https://example.com/a", True),
        ("domain:Example.com", "https://EXAMPLE.com:8443/a", True),
        ("domain:*.example.com", "https://docs.example.com", True),
        ("domain:example.com", "https://docs.example.com", False),
        ("domain:*.example.com", "https://badexample.com", False),
        ("domain:example.com", "https://example.com@bad.test/", False),
        ("domain:example.com", "http://[bad", False),
        ("domain:example.com", "https://evil.test\\@example.com/", False),
        ("domain:example.com", "http://evil.test\n@example.com/", False),
        ("domain:example.com", "ftp://example.com/", False),
        ("domain:example.com", None, False),
        ("example.com", "https://example.com", False),
    ],
)
def test_a_fetch_fits_by_its_host(argument: str, url: str | None, does: bool) -> None:
    assert fetches(argument, url) is does


@pytest.mark.parametrize("argument", ["*a*a*a*a*a*b", "a*" * 1_000, "*" * 4_000])
@pytest.mark.parametrize(
    "line", ["a" * 8_000, "a " * 4_000, "a;" * 4_000, " " * 100_000 + ">", "a" * 100_000]
)
def test_no_pattern_of_a_command_takes_long(argument: str, line: str) -> None:
    with bounded():
        runs([argument] * 50, line)


@pytest.mark.parametrize(
    "argument",
    ["**/" * 30 + "x", "**/a/" * 15 + "x", "*a*a*a*a*a*b", "[!a]*" * 500, "**/*a*a*a*b/" * 15 + "x"],
)
@pytest.mark.parametrize("path", ["a/" * 3_000, "a/" * 250, "a" * 4_000, ("a" * 200 + "/") * 20])
def test_no_pattern_of_a_path_takes_long(argument: str, path: str) -> None:
    with bounded():
        assert not touches(argument, path)


def test_what_is_too_long_is_a_problem() -> None:
    assert problem("execute", "x" * 5_000) is not None
    assert problem("edit", "a/" * 200) is not None
