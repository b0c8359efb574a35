"""A Host marks its Python environment while it runs."""

import os
import sys
from pathlib import Path

import pytest

from sidecar.host.in_use import in_use


def test_a_virtual_environment_is_marked_while_it_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    with in_use("/a/root"):
        assert (tmp_path / "in-use" / str(os.getpid())).read_text() == "/a/root"
    assert list((tmp_path / "in-use").iterdir()) == []


def test_an_environment_that_cannot_be_written_is_used_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "in-use").write_text("a file in the way")
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    with in_use("/a/root"):
        pass


def test_a_python_of_the_system_is_not_marked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setattr(sys, "base_prefix", str(tmp_path))
    with in_use("/a/root"):
        assert list(tmp_path.iterdir()) == []
