"""The own tokens of a session, from the sums that Codex records."""

import pytest

from sidecar.history.stores.codex.records import TokenInfo, Tokens
from sidecar.history.stores.codex.sums import Figures, Sums


@pytest.mark.parametrize("bad", [-5, 10**30])
def test_a_sum_that_cannot_be_one_is_left_out(bad: int) -> None:
    sums = Sums()
    assert not sums.take(
        TokenInfo(total_token_usage=Tokens(input_tokens=bad, output_tokens=1)), answered=True
    )
    assert sums.own is None
    assert sums.take(TokenInfo(total_token_usage=Tokens(input_tokens=10, output_tokens=4)), answered=True)
    assert not sums.take(
        TokenInfo(total_token_usage=Tokens(input_tokens=12, output_tokens=bad)), answered=True
    )
    assert sums.own == Figures(given=10, made=4)
    sums.take(TokenInfo(total_token_usage=Tokens(input_tokens=15, output_tokens=6)), answered=True)
    assert sums.own == Figures(given=15, made=6)


def test_sums_that_start_again_with_a_longer_request_are_added() -> None:
    sums = Sums()
    for given, made in ((10_000, 300), (10_200, 50), (20_500, 90)):
        used = Tokens(input_tokens=given, output_tokens=made)
        assert sums.take(TokenInfo(total_token_usage=used), answered=True)
    assert sums.own == Figures(given=30_500, made=390)


def taken(*sums: tuple[Tokens, Tokens | None]) -> Figures | None:
    found = Sums()
    for total, last in sums:
        assert found.take(TokenInfo(total_token_usage=total, last_token_usage=last), answered=True)
    return found.own


@pytest.mark.parametrize("tells_last", [False, True])
def test_sums_start_again_where_only_the_tokens_of_a_cache_are_fewer(tells_last: bool) -> None:
    first = Tokens(input_tokens=1_000, cached_input_tokens=800, output_tokens=30)
    again = Tokens(input_tokens=1_500, cached_input_tokens=200, output_tokens=40)
    found = taken((first, first if tells_last else None), (again, again if tells_last else None))
    assert found == Figures(given=2_500, read=1_000, made=70)


def test_sums_that_continue_do_not_start_again_because_the_tokens_of_a_cache_are_fewer() -> None:
    first = Tokens(input_tokens=1_000, cached_input_tokens=800, output_tokens=30)
    corrected = Tokens(input_tokens=1_500, cached_input_tokens=700, output_tokens=40)
    last = Tokens(input_tokens=500, output_tokens=10)
    assert taken((first, first), (corrected, last)) == Figures(given=1_500, read=700, made=40)
