"""What prevents a gateway from connecting is named with its remedy, before Ray is asked."""

import re
import sys
from pathlib import Path

import pytest

from sidecar.fleet.cluster import Cluster, ClusterError


@pytest.mark.parametrize(
    ("content", "why"),
    [(b"\x80\xff", "it is not text"), (b" \n", "contains no token"), (None, "No such file")],
)
async def test_a_token_that_cannot_be_used_is_named(tmp_path: Path, content: bytes | None, why: str) -> None:
    token = tmp_path / "token"
    if content is not None:
        token.write_bytes(content)
    with pytest.raises(ClusterError, match=rf"fleet\.tokenPath '{token}'.*{why}"):
        await Cluster().connect("auto", "test", str(token))


async def test_a_python_without_ray_is_named_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    named = rf"{re.escape(sys.executable)}, the Python of the gateway, has no Ray .*pip install"
    with pytest.raises(ClusterError, match=named):
        await Cluster().connect("auto", "test", None)
