"""Times of JSON lines sort as texts and are exact to the millisecond."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.history.stores.append_only.times import iso_ms, sortable, span

MOMENTS = st.integers(1_000_000_000_000, 3_000_000_000_000)


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("2026-04-15T12:00:00.000Z", 1_776_254_400_000),
        ("2026-04-15T12:00:00Z", 1_776_254_400_000),
        ("2026-04-15T14:00:00.001+02:00", 1_776_254_400_001),
        ("2026-04-15T12:00:00.123456", 1_776_254_400_123),
        ("2026-04-15", None),
        ("soon, at 12 o'clock", None),
        ("0001-01-01T00:00:00.000Z", None),
        ("", None),
    ],
)
def test_a_time_is_read_in_ms(text: str, ms: int | None) -> None:
    assert iso_ms(text) == ms


@given(MOMENTS, MOMENTS, st.sampled_from(["milliseconds", "microseconds"]))
def test_sortable_times_sort_as_the_moments_do(one: int, other: int, precision: str) -> None:
    texts = [
        sortable(datetime.fromtimestamp(ms / 1000, UTC).isoformat("T", precision)) for ms in (one, other)
    ]
    assert (texts[0] < texts[1]) == (one < other)
    assert [iso_ms(text) for text in texts] == [one, other]


@given(
    st.lists(
        st.one_of(
            st.datetimes(datetime(2001, 1, 1), datetime(2099, 1, 1), timezones=st.just(UTC)).map(
                lambda moment: moment.isoformat("T", "milliseconds").replace("+00:00", "Z")
            ),
            st.sampled_from(["", "soon", "2026-04-15T14:00:00.001+02:00", "2026-04-15T12:00:00.000Zz", "20"]),
        )
    )
)
def test_a_span_is_from_the_first_to_the_last_of_the_sortable_times(texts: list[str]) -> None:
    times = [time for time in map(sortable, texts) if time]
    assert span(texts) == (min(times, default=""), max(times, default=""))


@pytest.mark.parametrize(
    "bad", ["2026-13-45T99:99:99.999Z", "20xx-04-15T12:00:00.000Z", "2000-00-00T00:00:00.000Z"]
)
@pytest.mark.parametrize("more", [[], ["2026-04-15T14:00:00+02:00"]])
def test_what_only_looks_like_a_time_is_not_the_end_of_a_span(bad: str, more: list[str]) -> None:
    good = ["2026-04-15T12:00:00.000Z", "2026-04-15T12:00:01.000Z"]
    assert span([good[0], bad, good[1], *more]) == (good[0], good[1])
    assert span([bad]) == ("", "")
    assert sortable(bad) == ""


@pytest.mark.parametrize(
    "texts",
    [
        ["2026-04-15T12:00:00.000Z2", "026-04-16T12:00:00.000Z", "2026-04-17T12:00:00.000Z"],
        ["2026-04-15T12:00:00.\n00Z", "2026-04-16T12:00:00.000Z", "2026-04-17T12:00:00Z"],
    ],
)
def test_times_of_another_length_are_read_one_by_one(texts: list[str]) -> None:
    known = [time for text in texts if (time := sortable(text))]
    assert span(texts) == (min(known), max(known))
    assert span([]) == ("", "")
