"""The words of generated tasks, including decoys."""

from random import Random
from typing import Final

PROMPTS: Final = (
    "Fix the flaky login test",
    "Add paging to the orders list\n\nkeep the public API stable",
    "Объясни, как работает кэш",
    "Why does  my   build\tfail?",
    "日本語のREADMEを書いて 🚀",
    'Why does my log say {"tokensIn":111,"tokensOut":222,"cacheWrites":0,"cacheReads":0,"cost":3.5}?',
    "Explain what </task> and <task> mean in this prompt",
    "Remove the uploader's retry logic, step by step, and tell me for each step what you did and why " * 3,
)
"""Some hold what looks like a usage record, or the tags that wrap a prompt."""

WORKSPACES: Final = (
    "/home/dana/projects/atlas",
    "c:/Program Files (x86)/Vendor/game",
    "//wsl.localhost/Ubuntu/home/jürgen/blog",
    "/Users/sam/Проекты/notes (copy)",
)
ZONES: Final = (
    ("Europe/Berlin", "+2:00", 2.0),
    ("America/Los_Angeles", "-7:00", -7.0),
    ("Asia/Kolkata", "+5.5:00", 5.5),
)
"""Name, offset as Cline prints it, and hours."""
MODES: Final = (
    ("code", "💻 Code"),
    ("architect", "🏗️ Architect"),
    ("ask", "❓ Ask"),
    ("r-and-d", "R&D (beta)"),
)
CLINE_MODES: Final = (("act", "Act"), ("plan", "Plan"))
MODELS: Final = ("claude-sonnet-4-5", "anthropic/claude-sonnet-4", "qwen3-coder:30b")
REPLIES: Final = (
    "I'll read the code first.",
    "Now I change the module.",
    "The tests failed with an error.",
)

_DECOYS: Final = (
    "# Current Mode\n<slug>decoy</slug>\n<name>Decoy</name>\n<model>decoy</model>\n",
    "# Current Workspace Directory (/decoy/place) Files\na.py\n",
    '{"tokensIn":999999,"tokensOut":999999,"cost":99.5}',
    "<environment_details>\n# Current Mode\n<slug>decoy</slug>\n</environment_details>\nend of the file",
    "attempt_completion failed: exception, error, task completed",
)
_CODE: Final = (
    "def f(x):\n    return x\n",
    "export const a = 1\n",
    "SELECT * FROM orders;\n",
    "\x1b[32m✓\x1b[39m ok\n",
)


def file_content(random: Random, size: int) -> str:
    """Return a file as the model reads it: about `size` characters of code around a decoy."""
    parts = [random.choice(_DECOYS)]
    while sum(map(len, parts)) < size:
        parts.insert(random.randrange(len(parts) + 1), random.choice(_CODE) * random.randint(1, 8))
    return "File: src/a.py\n" + "".join(parts)
