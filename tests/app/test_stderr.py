"""What `serve` writes to stderr may be shown on a terminal, whatever it quotes."""

import subprocess
import sys

import pytest

HOSTILE = "\x1b]0;PWNED\x07\x1b[2J\x9b31m\u202e\u200b\r"


def stderr_of(*arguments: str) -> str:
    """Return what a Python process writes to stderr."""
    command = [sys.executable, *arguments]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", timeout=60, check=False
    )
    return done.stderr


def is_printable(text: str) -> bool:
    return all(each.isprintable() or each == "\n" for each in text)


@pytest.mark.parametrize(
    "arguments",
    [
        (f"--{HOSTILE}",),
        (HOSTILE,),
        ("--log-level", HOSTILE),
        ("--config", f"/nonexistent/{HOSTILE}"),
    ],
)
def test_a_wrong_argument_of_serve_is_quoted_printably(arguments: tuple[str, ...]) -> None:
    shown = stderr_of("-m", "sidecar", "serve", *arguments)
    assert "subagent-sidecar" in shown
    assert is_printable(shown)


def test_a_log_record_is_printable() -> None:
    script = (
        "import logging; from sidecar.app.logs import log_to_stderr; listener = log_to_stderr('warning');"
        f"logging.getLogger('sidecar').warning('%s failed', {HOSTILE!r}); listener.stop()"
    )
    shown = stderr_of("-c", script)
    assert "PWNED" in shown
    assert is_printable(shown)
