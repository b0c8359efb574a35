"""Find secrets assigned to telling names in code, settings, JSON, YAML, XML and shells."""

from collections.abc import Callable
from typing import Final

from sidecar.history.export.redaction.rules.plausible import (
    bare_secret,
    mixed_password,
    password,
    plain_password,
    quoted_secret,
    random_key,
    typed_secret,
)
from sidecar.history.export.redaction.rules.rule import Rule

_Check = Callable[[str], bool]
KIND: Final = "assignedSecret"
# The words that name a password, and where a name may start: not inside another word, as in "compass".
_PHRASE: Final = "(?i:passwords?|passwd|passphrase|passwrd|passcode|pwd|passw?)"
_EDGE: Final = "(?:(?<![A-Za-z])|(?<=[a-z])(?=P)|(?<=[A-Z])(?=P[AW])|(?<=n)(?=passw)|(?<=b)(?=pass))"
_PHRASES: Final = ("pass", "pwd")
_OWNERS: Final = (
    "api|access|private|encryption|master|signing|auth|account|service|license|client|app|consumer|session|"
    "webhook|deploy|jwt|hmac|storage|shared|subscription"
)
_KEY: Final = (
    r"(?i:secret|token(?!s|i[sz]|[_-]?(?:count|usage|type|limit|budget|ur[il]|endpoint))|credential"
    rf"|(?:{_OWNERS})[_-]?key)"
)
_KEYS: Final = (
    "secret",
    "token",
    "credential",
    *(f"{owner}{joint}key" for owner in _OWNERS.split("|") for joint in ("", "_", "-")),
)
_TAIL: Final = r"[\w-]{0,24}+"
_SIGN: Final = r"\]?[\"'`]?\)?[ \t]{0,20}(?::=|=>|\?=|=|:)[ \t]{0,20}"
_TYPED: Final = r"(?::[ ]?(?:str|String|string|&str|char\*)[ ]{1,3})?"
_QUOTED: Final = r"[a-zA-Z@$]{0,2}(?:\"([^\"\n]{4,300}+)\"|'([^'\n]{4,300}+)'|`([^`\n]{4,300}+)`)"
_OTHER: Final = r"[^\s\"'`,;&(){}\[\]<>|\\"
_WORD: Final = rf"({_OTHER}]{{4,500}}+)"
_BELOW: Final = r"(?:\r?\n[ \t]{1,80}(?=[\"']))?"
"""A quoted value may be on the line below its name."""
_NO_CODE: Final = r"(?![(\[{]|,[ \t]|\)|[ \t]{0,3}(?:[+?|(]|==))"
_NO_CALL: Final = r"(?![(\[{]|[ \t]{0,3}(?:[+?|(]|==))"
_NUMBER: Final = r"(?:[0-9]{1,6}[ ]?[|\u2192][ ]?|[+-])?"


def _rules(name: str, marks: tuple[str, ...], quoted: _Check, bare: _Check) -> tuple[Rule, ...]:
    """Make the rules of one class of names: quoted values, bare ones, and ones of XML."""
    return (
        Rule(KIND, rf"{name}(?i:{_TAIL}{_TYPED}{_SIGN}{_BELOW}){_QUOTED}", marks, holds=quoted),
        Rule(KIND, rf"{name}(?i:{_TAIL}{_SIGN}){_WORD}{_NO_CODE}", marks, holds=bare),
        Rule(
            KIND,
            rf"{name}(?i:{_TAIL}>)\s{{0,20}}([^\s<>]{{4,300}}+)\s{{0,20}}</",
            marks,
            holds=plain_password,
        ),
    )


ASSIGNMENTS: Final = (
    *_rules(_EDGE + _PHRASE, _PHRASES, password, mixed_password),
    *_rules(_KEY, _KEYS, quoted_secret, bare_secret),
    # A line of settings or of a shell: capitals, no blanks around the sign.
    Rule(
        KIND,
        rf"(?<![a-z.])(?:PASS\w{{0,16}}|PWD|SECRET|TOKEN)=(?!\S{{0,200}}[(])[\"']?{_WORD}",
        (*_PHRASES, "secret", "token"),
        holds=plain_password,
    ),
    # A connection string or the body of a form.
    Rule(
        KIND,
        rf"(?i)(?<=[;&? ])(?:password|pwd|passwd)[ ]?=[ ]?({_OTHER}]{{3,200}}+)(?=[;&\"'])",
        _PHRASES,
        holds=plain_password,
    ),
    # A line of YAML or of a protocol that ends with its value.
    Rule(
        KIND,
        rf"(?m){_EDGE}{_PHRASE}[ ]{{0,2}}[:=][ ]{{0,3}}({_OTHER}]{{5,200}}+)[ \t]*$",
        _PHRASES,
        holds=plain_password,
    ),
    # A statement of SQL.
    Rule(KIND, r"(?i)(?:password|identified by)[ ]{1,3}'([^'\n]{4,200}+)'", ("password", "identified by")),
    # A value on the line below: a block of YAML, or the answer to a prompt.
    Rule(
        KIND,
        rf"{_EDGE}{_PHRASE}[\"']?:[ ]?(?:[|>]-?)?[ ]?\r?\n[ \t]{{0,20}}{_NUMBER}({_OTHER}:=]{{6,200}}+)"
        r"(?=[\s\"'`]|$)",
        _PHRASES,
        holds=typed_secret,
    ),
    # A quoted phrase that a console broke.
    Rule(
        KIND,
        rf"{_EDGE}{_PHRASE}(?i:{_TAIL}{_SIGN})\"([^\"\r\n]{{0,100}}+\r?\n[^\"\r\n]{{2,100}}+)\"",
        _PHRASES,
        holds=password,
    ),
    # A quoted key that a console broke after its quote.
    Rule(
        KIND,
        rf"{_KEY}(?i:{_TAIL}{_SIGN})\"\r?\n[ \t]{{0,80}}([^\"\s]{{6,300}}+)\"",
        _KEYS,
        holds=quoted_secret,
    ),
    # A long generated value after any name that ends with KEY or SALT.
    Rule(
        KIND,
        rf"(?i:key|salt|pepper)\w{{0,12}}+{_SIGN}{_BELOW}[\"']?({_OTHER}=]{{16,500}}+={{0,2}}){_NO_CALL}",
        ("key", "salt", "pepper"),
        holds=random_key,
    ),
)
