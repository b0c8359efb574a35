"""Definition files of all tools: a file is a definition, or has problems that explain why not."""

from sidecar.subagents.definitions.formats import SIDECAR
from sidecar.subagents.definitions.parsing import parse_definition
from sidecar.subagents.definitions.places import USER_FOLDERS
from tests.fuzz.targets.seeding import written

SEEDS = written(
    {
        "markdown": b"---\nname: scout\ndescription: Finds files\ntools: Read, Grep\n---\nLook.\n",
        "own": b"---\nname: a\ndescription: b\nrunner: check\ntools:\n  - read\n  - bash(git *)\nlimits:\n"
        b"  time: 5m\n  turns: 3\noutputs:\n  answer: What it is\n---\nYou review code.\n",
        "block_texts": b"---\nname: 'a'\ndescription: >-\n  long\n  text\ncolor: &x red\nother: *x\n---\n",
        "line_ends": b"\xef\xbb\xbf---\r\nname: a\r\ndescription: b\r\n---\r\nText\r\n",
        "toml": b'name = "a"\ndescription = "b"\ndeveloper_instructions = """\nLook.\n"""\n'
        b'[mcp_servers.x]\ncommand = "y"\n',
        "json": b'{"name":"a","profile":"p","systemPrompt":"Look","createdAt":"2026-01-01T00:00:00Z"}',
        "deep": b"---\nname: " + b"[" * 40 + b"]" * 40 + b"\n---\n",
        "aliases": b"---\na: &a [x,x]\nb: &b [*a,*a]\nc: &c [*b,*b]\nname: *c\n---\n",
    }
)


def read(data: bytes) -> None:
    """Parse a file as every tool's format."""
    lines = data.count(b"\n") + data.count(b"\r") + 1
    for form in (SIDECAR, *USER_FOLDERS.values()):
        parsed = parse_definition(data, f"scout{form.suffix}", form)
        assert parsed.definition is not None or parsed.problems
        for problem in parsed.problems:
            assert problem.message
            assert problem.line is None or 1 <= problem.line <= lines, (problem.line, lines)
