from typing import Literal

import platformdirs
import pytest

from sidecar.user_dirs import user_dir

Kind = Literal["config", "data", "cache"]


@pytest.mark.parametrize("kind", ["config", "data", "cache"])
@pytest.mark.parametrize("named", [None, "", "relative/place", "/somewhere/else"])
def test_the_directories_are_those_of_platformdirs(
    kind: Kind, named: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    variable = f"XDG_{kind.upper()}_HOME"
    monkeypatch.delenv(variable, raising=False)
    if named is not None:
        monkeypatch.setenv(variable, named)
    expected = getattr(platformdirs, f"user_{kind}_dir")("subagent-sidecar", appauthor=False)
    assert user_dir(kind) == str(expected)
