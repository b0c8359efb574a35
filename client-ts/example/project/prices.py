"""Prices of a small shop."""


def total(prices: list[float], discount: float) -> float:
    """Return the sum of the prices after a discount in percent."""
    return sum(prices) - discount
