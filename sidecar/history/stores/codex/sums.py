"""The own tokens of a session, from the sums that Codex records. Pure."""

from collections.abc import Iterable
from typing import Final, NamedTuple, Self

import msgspec

from sidecar.history.stores.codex.records import Payload, TokenInfo, Tokens
from sidecar.history.stores.sessions.usage import tokens


class Figures(NamedTuple):
    """Tokens of input, those of them that were read from and written to a cache, and tokens of output."""

    given: int = 0
    read: int = 0
    written: int = 0
    made: int = 0

    @classmethod
    def of(cls, used: Tokens) -> Self:
        """Return the figures that Codex records."""
        read, written = used.cached_input_tokens, used.cache_write_input_tokens
        return cls(used.input_tokens, read, written, used.output_tokens)

    def plus(self, other: "Figures") -> "Figures":
        """Return the sum of both."""
        return Figures(*(one + another for one, another in zip(self, other, strict=True)))

    def without(self, after: "Figures", before: "Figures") -> "Figures":
        """Return what is left without a growth: nothing if all input and output is part of it."""
        each = zip(self, after, before, strict=True)
        left = Figures.positive(own - (new - old) for own, new, old in each)
        return left if left.given or left.made else Figures()

    @property
    def are_possible(self) -> bool:
        """Return whether each can be a number of tokens."""
        return all(tokens(value) is not None for value in self)

    @classmethod
    def positive(cls, values: Iterable[int]) -> Self:
        """Return figures none of which is less than 0."""
        return cls(*(max(0, value) for value in values))


def usage_of(payload: Payload) -> Figures | None:
    """Return the tokens of one answer in a `token_usage_record`; None if it has no possible ones."""
    try:
        figures = Figures.of(msgspec.json.decode(payload.usage, type=Tokens))
    except msgspec.MsgspecError:
        return None
    return figures if figures.are_possible else None


_NOTHING: Final = Figures()


class Sums:
    """Fold the sums over a session, which may include the tokens of another one, into `own` tokens.

    `own` is None until an answer reports any.
    """

    __slots__ = ("_base", "_carried", "_total", "is_forked", "own")

    def __init__(self) -> None:
        self.own: Figures | None = None
        self.is_forked = False
        """Whether the sums may include another session's tokens; the first sum tells."""
        self._base = _NOTHING
        """The sums at the end of the other session."""
        self._carried = _NOTHING
        """The own tokens before the sums were reset."""
        self._total: Figures | None = None

    def copied(self, info: TokenInfo) -> None:
        """Take a sum that was copied from another session."""
        if info.total_token_usage is not None and (total := Figures.of(info.total_token_usage)).are_possible:
            self._base = self._total = total
            self.is_forked = False

    def take(self, info: TokenInfo, *, answered: bool) -> bool:
        """Take a sum; return whether it is one. `answered` says whether the session has an answer of its own.

        A fork that compacts its context first repeats the sum and the last answer of the other session. The
        first sum with an answer includes the other session's tokens besides the answer's.
        """
        if info.total_token_usage is None:
            return False
        total = Figures.of(info.total_token_usage)
        if not total.are_possible:
            return False
        if self.is_forked and not answered:
            self.copied(info)
            return False
        last = Figures.of(info.last_token_usage) if info.last_token_usage is not None else None
        if self.is_forked and last is not None:
            self._base = Figures.positive(whole - own for whole, own in zip(total, last, strict=True))
        self.is_forked = False
        self._count(total, is_first=last in (None, total))
        return True

    def _count(self, total: Figures, is_first: bool) -> None:
        """Add a sum; if a figure is smaller than in the last, the sums started again from 0.

        `is_first` says whether a sum may be that of the first answer. Only such a sum starts again if nothing
        but the tokens from a cache are fewer.
        """
        before = self._total
        if before is not None and (
            total.given < before.given or total.made < before.made or (is_first and total.read < before.read)
        ):
            self._carried = self._own(before)
            self._base = _NOTHING
        self._total = total
        self.own = self._own(total)

    def _own(self, total: Figures) -> Figures:
        parts = zip(self._carried, total, self._base, strict=True)
        return Figures.positive(carried + last - base for carried, last, base in parts)
