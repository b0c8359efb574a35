"""Redaction leaves real code alone, and takes time in proportion to its length."""

import sysconfig
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from sidecar.history.export.redaction import Redactor
from sidecar.history.export.redaction.finder import Finder
from sidecar.history.export.redaction.rules.assignments import ASSIGNMENTS
from sidecar.history.export.redaction.rules.carriers import CARRIERS
from sidecar.history.export.redaction.rules.products import PRODUCTS
from sidecar.history.export.redaction.rules.rule import Rule, gitleaks_rules
from sidecar.history.export.redaction.rules.tokens import TOKENS
from sidecar.history.export.redaction.spans import Span

ATTEMPTS = 3
"""Measurements of which one must be short enough: the processor is shared with other programs."""


def modules() -> list[str]:
    """Read the modules of Python's library: protocols, passwords, URLs, tokens, tables and prose."""
    library = Path(sysconfig.get_path("stdlib"))
    return [path.read_text("utf-8") for path in sorted(library.glob("*.py"))]


@pytest.mark.slow
def test_two_of_a_thousand_lines_of_code_are_changed_at_most() -> None:
    sources, redactor = modules(), Redactor()
    for source in sources:
        redactor.text(source)
    lines = sum(source.count("\n") for source in sources)
    assert lines > 30_000
    assert sum(entry.count for entry in redactor.report) <= 0.002 * lines, redactor.report


@pytest.mark.parametrize(
    "line",
    [
        "def login(user: str, password: str, token: Token) -> None:",
        "password = getpass.getpass()",
        "connect(user=user, password=password, token=self.token)",
        "const token = await this.tokens.refresh(options);",
        'headers = {"Authorization": f"Bearer {token}"}',
        "headers: { Authorization: `Bearer ${token}` }",
        "api_key = os.environ['OPENAI_API_KEY']",
        "apiKey: process.env.OPENAI_API_KEY,",
        "password: string; secret?: string;",
        'label = _("Enter your password")',
        '"password": "Please enter a password"',
        '"inputTokens": 123456, "outputTokens": 7890',
        "PASSWORD=$DB_PASSWORD ./run --token $TOKEN --password <password>",
        "password: ${{ secrets.PASSWORD }}",
        "key = lambda item: item.key",
        "for key, value in secrets.items():",
        'DATABASE_URL = f"postgres://{user}:{password}@{host}/{name}"',
        "http://localhost:3000/@vite/client and https://example.com:8080/a@b",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "commit 3da541559918a808c2402bba5012f6c60b27661c",
        "123e4567-e89b-12d3-a456-426614174000",
        "the basic understanding of a bearer of bad tidings",
        "docker run -u 1000:1000 image",
        "compass: north, bypass: true, surpass = 3",
    ],
)
def test_code_about_secrets_stays(line: str) -> None:
    assert Redactor().text(line) == line


@pytest.mark.parametrize(
    "text",
    [
        "_STATE_CHARS_PER_TOKEN = 6\n_QUESTION_CHARS_PER_TOKEN = 4\n",
        "AUTHTYPE_SERVER = 2\nCERT_CHAIN_POLICY_SSL = 4\n",
        "A_TOKEN=5\nB_TOKEN=7\n",
        "THE_LONGEST_NAME_OF_A_LIMIT_THERE_IS_PER_TOKEN = 6\nA_SHORTER_LIMIT_2 = 4\n",
        "THE_LONGEST_NAME_OF_A_LIMIT_THERE_IS_PER_TOKEN=6\nA_SHORTER_LIMIT_2=4\nTHIRD=5\n",
    ],
)
def test_lines_that_assign_numbers_stay_apart(text: str) -> None:
    assert Redactor().text(text) == text


def seconds(work: Callable[[], object]) -> float:
    """Measure the time of this process alone, whatever else the machine does."""
    started = time.process_time()
    work()
    return time.process_time() - started


def spans(finder: Finder, text: str) -> list[Span]:
    return list(finder.spans(text))


def baits(rule: Rule) -> list[str]:
    """Make beginnings of a match that never end: a keyword and what the rules repeat behind one."""
    words = rule.keywords or ("M",)
    fillers = (
        "",
        " = ",
        "a",
        "A0",
        "-0",
        "_",
        "a.",
        '="',
        "'",
        " ",
        "\n",
        "0:",
        "eyJ",
        "aaaaaaaaaaaaaaaaaaaaaaaa.",
        "/",
    )
    return [f"{word}{filler}" for word in words for filler in fillers]


@pytest.mark.parametrize(
    "length", [500, *(pytest.param(length, marks=pytest.mark.slow) for length in (2_000, 8_000))]
)
@pytest.mark.parametrize(
    "rule", [*TOKENS, *PRODUCTS, *CARRIERS, *gitleaks_rules(), *ASSIGNMENTS], ids=lambda rule: rule.kind
)
def test_a_rule_takes_linear_time(rule: Rule, length: int) -> None:
    finder = Finder([rule])
    for bait in baits(rule):
        find = partial(spans, finder, bait * (length // len(bait)))
        # A rule that tries every way to match takes minutes.
        assert any(seconds(find) < 0.5 for _ in range(ATTEMPTS)), bait


@pytest.mark.parametrize(
    "bait",
    [
        "\\",
        "\\n",
        "%",
        "%25",
        "&amp;",
        "\x1b[",
        "\\u001b[3",
        "\u200b",
        "0a",
        "aA0",
        "-",
        "---",
        "-----BEGIN|PRIVATE|KEY-----",
        "/home/",
        "~a",
        "C:\\Users\\",
        "-home-a",
        "%2F",
        "\\\\",
        "@a",
        "@a:~",
        "drwxrwxrwx",
        "://a:a@",
        "://:",
        "&key=",
        "password:",
        "PASSWORD=",
        "--password",
        "-u|a:",
        "basic|",
        "cookie:a=b;",
        "secret:",
        "curl",
        "Private-Lines:|2",
        "key=",
        "mysql|",
        "login|",
        "eyJa",
        "eyJa.",
        "\u2502|",
        "\u2502\n",
        "abc123\u2502\n\u2502|",
        "abc123\\\n||",
        "abcdef12\n|+",
        "12|+|\n",
        "/mnt/a",
        "/mnt/home/",
        "/home/A/",
        "//a/",
        "USER=",
        "a|0.0|",
        "whoami\n",
        "_live_a",
        "'+'a0",
        "a0''",
        "a0<wbr>",
        "<b><b>",
        "**a0",
        "[1;",
        "^[[",
        "\\137",
        "&amp;",
        "&amp;amp;",
        "%2525",
        "\x9b",
        "|a0\n",
        "a0 |\n",
        "token|a\n",
        "-----BEGIN PRIVATE KEY-----\nx] AAAA\n",
        "'/home','",
        "$6$",
    ],
)
def test_redaction_takes_linear_time(bait: str) -> None:
    bait = bait.replace("|", " ")
    text = bait * (80_000 // len(bait))

    def is_linear() -> bool:
        whole, quarter = (seconds(partial(Redactor().text, part)) for part in (text, text[: len(text) // 4]))
        return whole < 8 * max(0.05, quarter)  # quadratic time would be 16 times as much

    assert any(is_linear() for _ in range(ATTEMPTS))
