"""The smallest store of Claude Code, as it is after the first prompt of its user."""

import json
from pathlib import Path

SESSION = "6818f698-92ae-454b-940b-ab9d0556a49e"
OTHER = "7818f698-92ae-454b-940b-ab9d0556a49e"


def write_session(root: Path, session: str = SESSION) -> Path:
    """Write a session of Claude Code."""
    path = root / "projects" / "-w" / f"{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    record = {
        "type": "user",
        "uuid": session,
        "sessionId": session,
        "timestamp": "2026-04-15T11:00:00.000Z",
        "cwd": "/w",
        "message": {"role": "user", "content": "Fix the parser"},
    }
    path.write_text(json.dumps(record) + "\n")
    return path
