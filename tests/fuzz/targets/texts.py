"""What people type and what is exported: queries, words to search for, texts to redact."""

from sidecar.api.errors import InvalidParams
from sidecar.history.export.redaction import Redactor
from sidecar.history.query import QueryError, parse_query
from sidecar.history.search.words import match_expression
from tests.fuzz.targets.seeding import written

SEEDS = written(
    {
        "query": b"status:failed,abandoned (mode:code OR mode:architect) cost>0.5 since:7d -draft "
        b'"exact words" file:a.py',
        "search": b'"retry logic" upload* NOT draft',
        "secrets": b'{"path":"/home/a/b","password":"hunter2222","url":"https://u:p@h/x"} '
        b"bearer abcdefgh0123456789",
        "key": b"-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\n-----END RSA PRIVATE KEY-----\n",
    }
)


def read(data: bytes) -> None:
    """Parse a text as a query and as words to search for, and redact it."""
    text = data.decode("utf-8", "replace")
    Redactor().text(text)
    try:
        parse_query(text)
    except QueryError as error:
        assert 0 <= error.position <= len(text)
    try:
        match_expression(text)
    except InvalidParams:
        return
