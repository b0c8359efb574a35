from datetime import UTC, datetime

import pytest

from sidecar.history.stores.task_folders.structural.stated_time import StatedTime, stated_time


def utc(*parts: int) -> int:
    return int(datetime(*parts, tzinfo=UTC).timestamp() * 1000)  # type: ignore[misc, arg-type]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("4/30/2025, 5:01:14 PM (Europe/Berlin, UTC+2:00)", utc(2025, 4, 30, 15, 1, 14)),
        ("12/31/2025, 12:00:00 AM (America/New_York, UTC-5:00)", utc(2025, 12, 31, 5)),
        ("4/4/2025, 12:30:00 PM (UTC, UTC+0:00)", utc(2025, 4, 4, 12, 30)),
        ("4/30/2025, 5:01:14\u202fPM (Asia/Kolkata, UTC+5.5:00)", utc(2025, 4, 30, 11, 31, 14)),
        ("4/30/2025, 5:01:14 PM (Asia/Kolkata, UTC+5:30)", utc(2025, 4, 30, 11, 31, 14)),
        ("4/30/2025, 5:01:14 PM (America/St_Johns, UTC-2.5:00)", utc(2025, 4, 30, 19, 31, 14)),
        ("2025/4/10 下午5:01:14 (Asia/Shanghai, UTC+8:00)", utc(2025, 4, 10, 9, 1, 14)),
        ("2025/4/10 午前12:01:14 (Asia/Tokyo, UTC+9:00)", utc(2025, 4, 9, 15, 1, 14)),
        ("2025. 4. 10. 오후 5:01:14 (Asia/Seoul, UTC+9:00)", utc(2025, 4, 10, 8, 1, 14)),
        ("2025-04-10, 17:01:14 (Europe/Berlin, UTC+2:00)", utc(2025, 4, 10, 15, 1, 14)),
        ("10.4.2025, 5:01:14 PM (Europe/Berlin, UTC+2:00)", utc(2025, 4, 10, 15, 1, 14)),
        ("10.04.2025, 17:01:14 (Europe/Moscow, UTC+3:00)", utc(2025, 4, 10, 14, 1, 14)),
        (
            "Current time in ISO 8601 UTC format: 2026-04-15T02:40:25.000Z\n"
            "User time zone: Europe/Berlin, UTC+2:00",
            utc(2026, 4, 15, 2, 40, 25),
        ),
    ],
)
def test_a_stated_time_is_read(text: str, expected: int) -> None:
    assert stated_time(text + "\n\n# Current Working Directory (/w) Files") == StatedTime(expected)


def test_where_day_and_month_may_be_swapped_the_other_date_is_known() -> None:
    assert stated_time("4/10/2025, 5:01:14 PM (Europe/Berlin, UTC+2:00)") == StatedTime(
        utc(2025, 4, 10, 15, 1, 14), utc(2025, 10, 4, 15, 1, 14)
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "10/04/2025, 5:01:14 pm (Europe/London, UTC+1:00)",
        "10/4/2025, 5:01:14 pm (Asia/Kolkata, UTC+5.5:00)",
        "10/04/2025 5:01:14 PM (Europe/Paris, UTC+2:00)",
        "10/04/2025, 5:01:14 PM (America/Sao_Paulo, UTC-3:00)",
        "10/4/2025, 5:01:14 p. m. (Europe/Madrid, UTC+2:00)",
        "30/4/2025, 5:01:14 PM (Asia/Kolkata, UTC+5.5:00)",
        "4/31/2025, 5:01:14 PM (Europe/Berlin, UTC+2:00)",
        "4/30/2025, 13:01:14 PM (Europe/Berlin, UTC+2:00)",
        "4/30/2025, 5:01:14 PM (Europe/Berlin, UTC+99:00)",
        "4/30/2025, 5:01:14 PM (Europe/Berlin)",
        "4/30/2025, 5:01:14 PM",
        "10.04.2025 ÖS 5:01:14 (Europe/Istanbul, UTC+3:00)",
        "0000/4/10 下午5:01:14 (Asia/Shanghai, UTC+8:00)",
        "Current time in ISO 8601 UTC format: 2026-13-15T02:40:25.000Z",
    ],
)
def test_a_form_that_is_not_certain_is_not_a_time(text: str) -> None:
    assert stated_time(text) is None
