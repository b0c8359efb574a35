"""Secrets that are assigned to a name that says so, in code, settings, JSON, YAML, XML and shells."""

from collections.abc import Callable
from typing import Final

from sidecar.history.export.redaction.plausible import (
    bare_secret,
    password,
    plain_password,
    quoted_secret,
    random_key,
)
from sidecar.history.export.redaction.rules import Rule

KIND: Final = "assignedSecret"
_PASSWORD: Final = "(?i:passwords?|passwd|passphrase|passwrd|passcode|pwd|passw?)"
_PASSWORD_MARKS: Final = ("pass", "pwd")
_PASS_EDGE: Final = "(?:(?<![A-Za-z])|(?<=[a-z])(?=P)|(?<=[A-Z])(?=P[AW])|(?<=n)(?=passw)|(?<=b)(?=pass))"
_TOKEN: Final = (
    r"(?i:secret|token(?!s|i[sz]|[_-]?(?:count|usage|type|limit|budget|ur[il]|endpoint))|credential|(?:api|access|private|secret|encryption|master|signing|auth|account|service|"
    r"license|client|app|consumer|session|webhook|deploy|jwt|hmac|storage|shared|subscription)[_-]?key)"
)
_TOKEN_MARKS: Final = (
    "secret",
    "token",
    "credential",
    *(
        f"{word}{joint}key"
        for word in (
            "api access private encryption master signing auth account service license client app consumer "
            "session webhook deploy jwt hmac storage shared subscription"
        ).split()
        for joint in ("", "_", "-")
    ),
)
_TAIL: Final = r"[\w-]{0,24}+"
_SIGN: Final = r"\]?[\"'`]?\)?[ \t]{0,20}(?::=|=>|\?=|=|:)[ \t]{0,20}"
_TYPED: Final = r"(?::[ ]?(?:str|String|string|&str|char\*)[ ]{1,3})?"
_QUOTED: Final = r"[a-zA-Z@$]{0,2}(?:\"([^\"\n]{4,300}+)\"|'([^'\n]{4,300}+)'|`([^`\n]{4,300}+)`)"
_WORD: Final = r"([^\s\"'`,;&(){}\[\]<>|\\]{4,500}+)"
_CODE_AHEAD: Final = r"(?![(\[{]|,[ \t]|\)|[ \t]{0,3}(?:[+?|(]|==))"


def _rules(name: str, marks: tuple[str, ...], quoted: Callable[[str], bool]) -> tuple[Rule, ...]:
    """Make the rules of one class of names: quoted values, bare ones, and ones of XML."""
    return (
        Rule(KIND, rf"{name}(?i:{_TAIL}{_TYPED}{_SIGN}){_QUOTED}", marks, holds=quoted),
        Rule(KIND, rf"{name}(?i:{_TAIL}{_SIGN}){_WORD}{_CODE_AHEAD}", marks, holds=bare_secret),
        Rule(
            KIND,
            rf"{name}(?i:{_TAIL}>)\s{{0,20}}([^\s<>]{{4,300}}+)\s{{0,20}}</",
            marks,
            holds=plain_password,
        ),
    )


ASSIGNMENTS: Final = (
    *_rules(_PASS_EDGE + _PASSWORD, _PASSWORD_MARKS, password),
    *_rules(_TOKEN, _TOKEN_MARKS, quoted_secret),
    # A line of settings or of a shell: capitals, no blanks around the sign.
    Rule(
        KIND,
        rf"(?<![a-z.])(?:PASS\w{{0,16}}|PWD|SECRET|TOKEN)=(?!\S{{0,200}}[(])[\"']?{_WORD}",
        ("pass", "pwd", "secret", "token"),
        holds=plain_password,
    ),
    # A connection string or the body of a form.
    Rule(
        KIND,
        rf"(?i)(?<=[;&? ])(?:password|pwd|passwd)[ ]?=[ ]?([^\s\"'`,;&(){{}}\[\]<>]{{3,200}}+)(?=[;&\"'])",
        _PASSWORD_MARKS,
        holds=plain_password,
    ),
    # A line of YAML or of a protocol that ends with its value.
    Rule(
        KIND,
        rf"(?m){_PASS_EDGE}{_PASSWORD}[ ]{{0,2}}[:=][ ]{{1,3}}([^\s\"'`,;(){{}}\[\]<>|\\]{{5,200}}+)[ \t]*$",
        _PASSWORD_MARKS,
        holds=plain_password,
    ),
    # A value on the line below: a block of YAML, or the answer to a prompt.
    Rule(
        KIND,
        rf"{_PASS_EDGE}{_PASSWORD}[\"']?:[ ]?(?:[|>]-?)?[ ]?\r?\n[ \t]{{0,20}}(?:[0-9]{{1,6}}[ ]?[|\u2192][ ]?|[+-])?([^\s\"'`,;(){{}}\[\]<>|\\:=]{{6,200}}+)(?=\s|$)",
        _PASSWORD_MARKS,
        holds=bare_secret,
    ),
    # A long generated value behind any name that ends with KEY or SALT.
    Rule(
        KIND,
        rf"(?i:key|salt|pepper)\w{{0,12}}+{_SIGN}[\"']?{_WORD}{_CODE_AHEAD}",
        ("key", "salt", "pepper"),
        holds=random_key,
    ),
)
