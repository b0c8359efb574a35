"""The files of the demo: a workspace, three subagents, and a store of another tool."""

import json
from pathlib import Path
from typing import Any

from sidecar.cli.demo import agent as demo_agent

HOUR = 3_600_000

_FILES = {
    "README.md": "# Orders\n\nA small service that keeps orders.\n\nTODO: describe the settings.\n",
    "orders/store.py": (
        '"""Keep orders."""\n\n\ndef total(lines):\n    # TODO: round to cents\n    return sum(lines)\n'
    ),
    "orders/report.py": (
        '"""Print orders."""\n\n\ndef report(orders):\n    return "\\n".join(map(str, orders))\n'
    ),
    "orders/export.py": (
        '"""Export orders."""\n\n\ndef to_csv(orders):\n'
        '    # FIXME: quote commas\n    return ",".join(orders)\n'
    ),
    "notes/plan.txt": "first the report\nthen the export\n",
}
_AGENTS = {
    "inventory": "Counts files and lines and writes INVENTORY.md.",
    "todos": "Gathers open points and writes TODO.md.",
    "watch": "Hashes all files until it is stopped.",
}
_STORED = (
    # ID, product's era, title, mode, hours ago, cost, last message
    ("0199c3a4-1c00-7a11-8a55-3f0c5d0e1a01", "Port the report to the new layout", "code", 30, 0.42, "done"),
    ("0199c8ca-7800-7b22-9b66-4a1d6e1f2b02", "Why does the export lose commas?", "debug", 6, 0.07, "waiting"),
    (
        "0199c9dd-5400-7c33-8c77-5b2e7f203c03",
        "Review the pull request about orders",
        "ask",
        2,
        0.11,
        "failed",
    ),
)


def write_workspace(folder: Path) -> None:
    """Create the files that the subagents work on."""
    for name, text in _FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def write_agents(folder: Path) -> None:
    """Create a definition for each job of the demo's agent; the runner has the name of the job."""
    folder.mkdir(parents=True)
    for name, description in _AGENTS.items():
        head = f"---\nname: {name}\ndescription: {description}\nrunner: {name}\n---\n"
        (folder / f"{name}.md").write_text(f"{head}Work in the current folder.\n")


def runners(python: str) -> dict[str, Any]:
    """Return the settings for the runners of these definitions."""
    return {
        name: {
            "type": "command",
            "command": [python, str(Path(demo_agent.__file__)), name],
            "format": "events",
        }
        for name in _AGENTS
    }


def write_storage(root: Path, workspace: Path, now: int) -> None:
    """Create a store like that of Roo Code, with a finished, a waiting and a failed task."""
    for task_id, title, mode, hours, cost, end in _STORED:
        folder = root / "tasks" / task_id
        folder.mkdir(parents=True)
        start = now - hours * HOUR
        (folder / "ui_messages.json").write_text(json.dumps(_ui_messages(title, start, cost, end)))
        (folder / "api_conversation_history.json").write_text(
            json.dumps(_api_messages(title, start, mode, workspace))
        )


def _ui_messages(title: str, start: int, cost: float, end: str) -> list[dict[str, Any]]:
    usage = {"tokensIn": 9_200, "tokensOut": 640, "cacheWrites": 0, "cacheReads": 4_100, "cost": cost}
    last = {
        "done": {"type": "ask", "ask": "completion_result", "text": ""},
        "waiting": {"type": "ask", "ask": "followup", "text": "Which spreadsheet program is it for?"},
        "failed": {"type": "ask", "ask": "api_req_failed", "text": "connection reset"},
    }[end]
    return [
        {"ts": start, "type": "say", "say": "text", "text": title},
        {"ts": start + 900, "type": "say", "say": "api_req_started", "text": json.dumps(usage)},
        {"ts": start + 7_000, "type": "say", "say": "text", "text": "I will read the code first."},
        {"ts": start + 61_000, **last},
    ]


def _api_messages(title: str, start: int, mode: str, workspace: Path) -> list[dict[str, Any]]:
    surroundings = (
        f"<environment_details>\n# Current Mode\n<slug>{mode}</slug>\n<name>{mode.title()}</name>\n\n"
        f"# Current Workspace Directory ({workspace}) Files\nREADME.md\n</environment_details>"
    )
    blocks = [
        {"type": "text", "text": f"<user_message>\n{title}\n</user_message>"},
        {"type": "text", "text": surroundings},
    ]
    return [
        {"role": "user", "content": blocks, "ts": start},
        {
            "role": "assistant",
            "content": [{"type": "text", "text": "I will read the code first."}],
            "ts": start + 7_000,
        },
    ]
