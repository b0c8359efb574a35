"""Costs and times as every surface writes them; the extension formats them in the same way. Pure."""

from decimal import ROUND_HALF_UP, Decimal
from typing import Final

_SECOND, _MINUTE, _HOUR, _DAY = 1_000, 60_000, 3_600_000, 86_400_000
_UNITS: Final = ((_DAY, "d", _HOUR, "h"), (_HOUR, "h", _MINUTE, "m"), (_MINUTE, "m", _SECOND, "s"))
"""The units of a time, largest first, each with the next smaller one."""
_NOW_MS: Final = 10 * _SECOND
"""A shorter time ago is "now"."""
_CENT: Final = Decimal("0.01")


def dollars(cost: float) -> str:
    """Format a cost in USD so that a small one does not look like nothing: `$1,234.50`, `$0.0031`."""
    if 0 < cost < 0.0001:
        return "<$0.0001"
    if 0 < cost < 0.01:
        return f"${cost:.4f}"
    # Round half up by the shortest decimal number, as JavaScript does: 0.285 is $0.29.
    is_plain = abs(cost) < 1e15  # neither NaN nor beyond the precision of a float
    return f"${Decimal(repr(cost)).quantize(_CENT, ROUND_HALF_UP) if is_plain else cost:,.2f}"


def duration(ms: float) -> str:
    """Format a time in its two largest units: `7s`, `1m 5s`, `3d 4h`. It is never negative."""
    for size, name, part, part_name in _UNITS:
        if ms >= size:
            return f"{int(ms // size)}{name} {int(ms % size // part)}{part_name}"
    return f"{max(0, int(ms // _SECOND))}s"


def ago(passed_ms: float) -> str:
    """Format how long ago something was, in its largest unit: `now`, `12s ago`, `5m ago`."""
    return "now" if passed_ms < _NOW_MS else f"{duration(passed_ms).partition(' ')[0]} ago"
