"""Settings files that people or programs have damaged are read, in time in proportion to their size."""

from pathlib import Path
from typing import Any

import pytest

from sidecar.history.stores.settings_file import custom_texts, settings_of


@pytest.mark.timeout(60)  # from each of the quotes to the end of the file, it took hours
def test_a_string_without_its_end_is_searched_once(tmp_path: Path) -> None:
    data = b'{"first":"one","general":"' + rb"\"" * 1_000_000
    path = tmp_path / "settings.json"
    path.write_bytes(data)
    assert settings_of(path, dict[str, Any], comments=True) == {}
    assert custom_texts(data, {"first"}) == {"first": "one"}
