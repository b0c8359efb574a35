import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sidecar.history.export.markdown import block, inline

HERE = Path(__file__).parent
CLIENT = HERE.parents[2] / "client-ts" / "package.json"

ATTACKS = {
    "indented heading": "   ## User (2026-01-01 00:00:00 UTC)",
    "setext heading": "User, forged\n---",
    "setext heading of equals signs": "User, forged\n===\n",
    "backtick in an info string": "```a`b\n## User (forged)\n```",
    "tildes with backticks inside": "~~~\n```\n~~~\n## User (forged)",
    "four backticks": "````\n```\n````\n## User (forged)",
    "HTML heading": "<h2>User (forged)</h2>",
    "HTML inside a line": "so <h2>User</h2> <img src=https://evil.example/p.png>",
    "comment left open": "<!--",
    "HTML block left open": "<details><summary>x</summary>",
    "script": "<script>\n",
    "image": "![](https://evil.example/p.png)",
    "image by reference": "![x][y]\n\n[y]: https://evil.example/p.png",
    "link definition": "[User]: https://evil.example",
    "link definition over lines": "[Us\ner]:\nhttps://evil.example",
    "link definition with a backtick": "[`x]: https://evil.example `",
    "heading in a list": "- # User",
    "heading in a quoted list": "> 1. - ## User",
    "setext in a list": "- a\n  ---",
    "setext in a quote": "> a\n> ===",
    "fence in a list": "- a\n  ```\n# User\n",
    "fence in a list left open": "1. ```\n   x",
    "fence with one space": " ```\n```\n# User",
    "fence in a quote": "> ```\n# User",
    "code over lines": "`a\n## User\n`<img src=x>",
    "escaped before HTML": "\\\\<img src=x> \\<b> \\![x](y)",
    "escaped backtick": "\\`<img src=x>`",
    "carriage returns": "a\r## User\r\rb\r===\r",
    "tab before a heading": "\t# x\n \t# y",
    "instruction": "<?php",
    "cdata": "<![CDATA[",
    "table headed by a fence": "~~~|a\n|---|---|",
    "table headed by a fence of backticks": "```|a\n|---|---|",
    "table headed by a fence with one cell": "~~~|\n|---|",
    "HTML in code over cells": "| a | b |\n|---|---|\n| ` | <img src=https://evil.example/p.png> ` |",
    "HTML behind code over cells": "|a|b|\n|-|-|\n|`x|y` `<img src=x>`|",
    "image in code over an escaped pipe": "|a|b|\n|-|-|\n|`x\\|![](x)|`|",
    "link definition with a backslash at the line end": "[a\\\n]: https://evil.example",
}


@dataclass
class Renderer:
    """A Markdown parser in a process of its own; it answers a line with a line."""

    process: subprocess.Popen[str]

    def __call__(self, document: str) -> Any:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(json.dumps(document) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


@contextmanager
def _renderer() -> Iterator[Renderer]:
    command = ["node", str(HERE / "rendered.mjs"), str(CLIENT)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Renderer(process)
        finally:
            process.kill()


@pytest.fixture(scope="module")
def render() -> Iterator[Renderer]:
    with _renderer() as renderer:
        yield renderer


def document(messages: list[str]) -> tuple[str, list[str]]:
    headings = [f"User {number}" for number in range(len(messages))]
    written = (f"\n## {head}\n\n{block(text)}\n" for head, text in zip(headings, messages, strict=True))
    return "# Title\n" + "".join(written), ["h1 Title", *(f"h2 {head}" for head in headings)]


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_message_forges_and_hides_no_other(attack: str, render: Renderer) -> None:
    text, headings = document([ATTACKS[attack], "the real next message"])
    assert render(text) == [{"headings": headings, "foreign": [], "references": []}] * 2


SIGNS = "`~#<>![]:=-*+_\\|\"'()&; \t\r\n\n1ab"
STARTS = (
    "```",
    "~~~",
    "`````",
    "    ",
    "## ",
    "===",
    "---",
    "- ",
    "> ",
    "1. ",
    "![",
    "]:",
    "](",
    "|-|-|\n",
    "|-\n",
    "\\\n",
)
TAGS = ("<!--", "<b", "-->", "</h2>")
PIECES = st.sampled_from([*SIGNS, *STARTS, *TAGS])


@settings(max_examples=400, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(PIECES, max_size=25).map("".join), min_size=1, max_size=3))
def test_a_document_has_the_headings_it_was_given(render: Renderer, messages: list[str]) -> None:
    text, headings = document(messages)
    assert render(text) == [{"headings": headings, "foreign": [], "references": []}] * 2


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(PIECES, max_size=20).map("".join))
def test_a_title_is_one_heading_without_images(render: Renderer, title: str) -> None:
    shown = render(f"# x {inline(' '.join(title.split()))}\n\ntext\n")
    assert all(len(view["headings"]) == 1 and view["foreign"] == [] for view in shown)


@pytest.mark.parametrize(
    "text",
    [
        "A list:\n\n- one\n- two\n\n1. `List<int>`\n2. **bold** and [a link](https://example.com)",
        "```python\n# a comment\nprint('<b>')\n```\n\nand then",
        "a table\n\n| a | b |\n|---|---|\n| 1 | 2 |",
        "a pattern `a | b` and a bit more",
        "| a | b |\n|---|---|\n| `x` | `y` or `a \\| b` |",
        "> quoted\n\n---\n\nC# and #hashtag, a < b?",
    ],
)
def test_ordinary_markdown_stays_as_it_is(text: str) -> None:
    assert block(text) == text


def test_code_in_a_list_keeps_its_text() -> None:
    assert block("1. run\n   ```sh\n   # x\n   ```\n2. done") == "1. run\n```sh\n   # x\n```\n2. done"
