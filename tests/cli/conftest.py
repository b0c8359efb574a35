"""The command line in this process and, as `cli`, in processes of its own."""

from collections.abc import Callable
from pathlib import Path

import pytest

from sidecar.cli.main import main
from tests.cli.program import cli as cli
from tests.cli.program import launched as launched
from tests.generator import ERAS, generate

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Run a command in this process; answers its exit code, stdout and stderr."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))

    def run(*arguments: str) -> tuple[int, str, str]:
        code = main(arguments)
        out, err = capfd.readouterr()
        return code, out, err

    return run


@pytest.fixture
def root(tmp_path: Path) -> Path:
    generate(tmp_path / "root", ERAS[3], 9)
    return tmp_path / "root"
