"""Values as a person reads them."""

import pytest

from sidecar.cli import output


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [(None, ""), (0, "0s"), (59_999, "59s"), (60_000, "1m 0s"), (3_600_000, "1h 0m"), (-3_600_000, "0s")],
)
def test_a_span_is_never_negative(milliseconds: float | None, text: str) -> None:
    assert output.span(milliseconds) == text
