"""V8's reading of a date string: ECMAScript's ISO form, and the lenient rules for everything else.

The lenient rules are in no standard; they follow the behavior that the V8 project documents for its
date parser, and the tests compare them with Node.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

from sidecar.javascript.date_tokens import END, Token, as_milliseconds, tokenize

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ZONES = {"ut": 0, "utc": 0, "z": 0, "gmt": 0, "cst": -6, "cdt": -5, "est": -5, "edt": -4}
_ZONES |= {"mst": -7, "mdt": -6, "pst": -8, "pdt": -7}
_NOON = {"am": 0, "pm": 12}

MAX_LENGTH = 10_000
"""Longest string read as a date, in characters. V8 has no such limit, but no writer needs more than this."""


class Fields(NamedTuple):
    """The parts of a date string; without an offset it is local time. `milliseconds` count from midnight."""

    year: int
    month: int
    day: int
    milliseconds: int
    offset_seconds: int | None


class _Invalid(Exception):
    """The string is not a date."""


def parse_fields(text: str) -> Fields | None:
    """Read a date string; None where V8 makes an Invalid Date of it, and for one beyond `MAX_LENGTH`."""
    if len(text) > MAX_LENGTH:
        return None
    try:
        return _Parser(tokenize(text)).parse()
    except _Invalid:
        return None


@dataclass
class _Parser:
    tokens: list[Token]
    at: int = 0
    day: list[int] = field(default_factory=list)
    time: list[int] = field(default_factory=list)
    named_month: int | None = None
    noon: int | None = None
    sign: int | None = None
    zone_hour: int | None = None
    zone_minute: int | None = None
    iso: bool = False

    def parse(self) -> Fields:
        token = self._iso()
        self._lenient(self._next() if token.kind == "end" else token)
        year, month, day = self._date()
        return Fields(year, month, day, self._milliseconds(), self._offset())

    def _peek(self) -> Token:
        return self.tokens[self.at]

    def _next(self) -> Token:
        token = self.tokens[self.at]
        self.at = min(self.at + 1, len(self.tokens) - 1)
        return token

    def _skip(self, symbol: str) -> bool:
        found = self._peek().kind == "symbol" and self._peek().text == symbol
        if found:
            self._next()
        return found

    # The ISO form. What it does not use up goes to the lenient reader, but a bad time is final.

    def _iso(self) -> Token:
        token = self._iso_year()
        if token is not None:
            return token
        for low, high in ((1, 12), (1, 31)):
            if not self._skip("-"):
                break
            if not (self._peek().is_number(2) and low <= self._peek().value <= high):
                return self._next()
            self.day.append(self._next().value)
        if self._peek().kind == "word" and self._peek().text in "Tt":
            self._next()
            self._iso_time()
            self._iso_zone()
            if self._peek() is not END:
                raise _Invalid
        elif self._peek() is not END:
            return self._next()
        if self.zone_hour is None and not self.time:
            self._set_zone(0)
        self.iso = True
        return END

    def _iso_year(self) -> Token | None:
        """Read a year of four digits, or of six with a sign; else return the token that was read."""
        sign = self._next() if self._peek().is_sign() else None
        if not self._peek().is_number(6 if sign else 4):
            return sign or self._next()
        year = self._next().value
        if sign and sign.text == "-":
            if year == 0:
                return sign
            year = -year
        self.day.append(year)
        return None

    def _iso_time(self) -> None:
        self.time.append(self._two_digits(24))
        rest = 0 if self.time[0] == 24 else 59
        if not self._skip(":"):
            raise _Invalid
        self.time.append(self._two_digits(rest))
        if not self._skip(":"):
            return
        self.time.append(self._two_digits(rest))
        if self._skip("."):
            if self._peek().kind != "number" or (not rest and self._peek().value):
                raise _Invalid
            self.time.append(as_milliseconds(self._next()))

    def _two_digits(self, high: int) -> int:
        token = self._next()
        if not token.is_number(2) or token.value > high:
            raise _Invalid
        return token.value

    def _iso_zone(self) -> None:
        if self._peek().kind == "word" and self._peek().text in "Zz":
            self._next()
            self._set_zone(0)
        elif self._peek().is_sign():
            self.sign = 1 if self._next().text == "+" else -1
            if self._peek().is_number(4):
                self.zone_hour, self.zone_minute = divmod(self._next().value, 100)
            else:
                self.zone_hour = self._two_digits(23)
                if not self._skip(":"):
                    raise _Invalid
                self.zone_minute = self._two_digits(59)
            if self.zone_hour > 23 or self.zone_minute > 59:
                raise _Invalid

    # The lenient reading.

    def _lenient(self, token: Token) -> None:
        seen_number = bool(self.day)
        while token is not END:
            if token.kind == "number":
                seen_number = True
                self._lenient_number(token.value)
            elif token.kind == "word":
                self._lenient_word(token.text, seen_number)
            elif token.is_sign() and (self.time or (self.zone_hour == 0 and self.zone_minute == 0)):
                seen_number = True
                self._lenient_offset(1 if token.text == "+" else -1)
            elif (token.is_sign() or token.text == ")") and seen_number:
                raise _Invalid
            token = self._next()

    def _lenient_number(self, n: int) -> None:
        if self._skip(":"):
            self._time_before_colon(n)
        elif self._skip_dot_in_time(n):
            self.time.append(n)
            if self._peek().kind != "number":
                raise _Invalid
            self._end_time(as_milliseconds(self._next()))
        elif self.zone_hour is not None and self.zone_minute is None and n < 60:
            self.zone_minute = n
        elif self._expects_time(n):
            self._end_time(n)
            peek = self._peek()
            if not (peek.kind in ("end", "space") or peek.is_sign() or peek.text in ("z", "Z")):
                raise _Invalid
        else:
            if len(self.day) == 3:
                raise _Invalid
            self.day.append(n)
            self._skip("-")

    def _time_before_colon(self, n: int) -> None:
        if self._skip(":"):
            if self.time:
                raise _Invalid
            self.time += [n, 0]
            return
        if len(self.time) == 4:
            raise _Invalid
        self.time.append(n)
        self._skip(".")

    def _skip_dot_in_time(self, n: int) -> bool:
        return self._skip(".") and self._expects_time(n)

    def _expects_time(self, n: int) -> bool:
        """Return whether a number can be the minute, second or millisecond that the time lacks."""
        return (len(self.time) in (1, 2) and n < 60) or (len(self.time) == 3 and n < 1000)

    def _end_time(self, n: int) -> None:
        self.time.append(n)
        self.time += [0] * (4 - len(self.time))

    def _lenient_word(self, word: str, seen_number: bool) -> None:
        # V8 lower-cases by setting one bit, which maps no letter to another but some signs to signs.
        key = "".join(chr(ord(c) | 0x20) for c in word[:4])
        if len(word) <= 3 and key in _NOON and self.time:
            self.noon = _NOON[key]
        elif key[:3] in _MONTHS:
            self.named_month = _MONTHS.index(key[:3]) + 1
            self._skip("-")
        elif key in _ZONES and seen_number:
            self._set_zone(_ZONES[key])
        elif seen_number or self._peek().kind == "number":
            raise _Invalid

    def _lenient_offset(self, sign: int) -> None:
        self.sign = sign
        token = self._next() if self._peek().kind == "number" else Token("number")
        if self._peek().kind == "symbol" and self._peek().text == ":":
            self.zone_hour, self.zone_minute = token.value, None
        elif len(token.text) in (1, 2):
            self.zone_hour, self.zone_minute = token.value, 0
        elif len(token.text) in (3, 4):
            self.zone_hour, self.zone_minute = divmod(token.value, 100)
        else:
            raise _Invalid

    def _set_zone(self, hours: int) -> None:
        self.sign, self.zone_hour, self.zone_minute = (-1 if hours < 0 else 1), abs(hours), 0

    # What was read, as fields.

    def _date(self) -> tuple[int, int, int]:
        if not self.day:
            raise _Invalid
        first, second, third = (*self.day, 1, 1)[:3]
        if self.named_month is None:
            by_year = self.iso or not 1 <= first <= 31
            year, month, day = (first, second, third) if by_year else (third, first, second)
        elif not 1 <= first <= 31:
            year, month, day = first, self.named_month, second
        else:
            year, month, day = second, self.named_month, first
        if not self.iso and 0 <= year <= 99:
            year += 2000 if year < 50 else 1900
        if not (1 <= month <= 12 and 1 <= day <= 31):
            raise _Invalid
        return year, month, day

    def _milliseconds(self) -> int:
        hour, minute, second, ms = (*self.time, 0, 0, 0, 0)[:4]
        if self.noon is not None:
            if hour > 12:
                raise _Invalid
            hour = hour % 12 + self.noon
        within = hour < 24 and minute < 60 and second < 60 and ms < 1000
        if not within and (hour, minute, second, ms) != (24, 0, 0, 0):
            raise _Invalid
        return ((hour * 60 + minute) * 60 + second) * 1000 + ms

    def _offset(self) -> int | None:
        if self.sign is None:
            return None
        return self.sign * ((self.zone_hour or 0) * 3600 + (self.zone_minute or 0) * 60)
