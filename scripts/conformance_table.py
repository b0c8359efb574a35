"""Check the agents of npm and write what they passed between two marks of docs/agents.md.

`scripts/conformance` starts it. The agents are real, in a home of their own, and use the fake model.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from itertools import starmap
from pathlib import Path
from typing import Any

from tests.e2e.real.real_agents import BIN, MODELS, runners_in
from tests.model_server.server import ModelServer

Json = dict[str, Any]

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "agents.md"
BEGIN = "<!-- Begin of what scripts/conformance writes. -->\n"
END = "<!-- End of what scripts/conformance writes. -->\n"
PACKAGES = {
    "opencode": "opencode-ai",
    "claude-agent-acp": "@agentclientprotocol/claude-agent-acp",
    "codex-acp": "@agentclientprotocol/codex-acp",
    "gemini": "@google/gemini-cli",
    "qwen": "@qwen-code/qwen-code",
}
"""The npm package of each agent, in the order of the columns."""
_CELLS = {True: "yes", False: "**no**", None: "unknown"}
_SECONDS = 900


def main() -> None:
    """Check every agent, one after the other, and write the table."""
    model = ModelServer()
    try:
        with tempfile.TemporaryDirectory(prefix="sidecar-conformance-") as folder:
            home = Path(folder)
            config = home / "config.toml"
            config.write_text("".join(starmap(_toml, runners_in(home, model.url).items())))
            results = {name: _check(home, config, name) for name in PACKAGES}
    finally:
        model.close()
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(with_table(text, render(results, installed_versions())), encoding="utf-8")


def render(results: Mapping[str, Iterable[Json]], versions: Mapping[str, str]) -> str:
    """Return the table, with a column for each agent, and the details of what was not passed."""
    by_check: dict[str, dict[str, Json]] = {}
    for agent, found in results.items():
        for result in found:
            by_check.setdefault(result["name"], {})[agent] = result
    heads = [f"`{agent}` {versions[agent]}" for agent in results]
    lines = [_row(["check", *heads]), _row(["---"] * (len(heads) + 1))]
    for check, by_agent in by_check.items():
        cells = [
            _CELLS[by_agent[agent].get("passed")] if agent in by_agent else "not run" for agent in results
        ]
        lines.append(_row([check, *cells]))
    details = [
        f"- `{agent}`, {check}: {_plain(result['detail'])}"
        for check, by_agent in by_check.items()
        for agent, result in by_agent.items()
        if result.get("passed") is not True
    ]
    return "\n".join([*lines, *(["", *details] if details else [])]) + "\n"


def with_table(page: str, table: str) -> str:
    """Return the page with the table between its marks."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table}\n{END}{after}"


def installed_versions() -> dict[str, str]:
    """Return the version of each agent that is installed in .cache/agents."""
    folder = BIN.parent
    return {
        agent: json.loads((folder / package / "package.json").read_text(encoding="utf-8"))["version"]
        for agent, package in PACKAGES.items()
    }


def _check(home: Path, config: Path, agent: str) -> list[Json]:
    command = [sys.executable, "-m", "sidecar", "agents", "check", agent, "--json", "--config", str(config)]
    model = MODELS[agent]
    environment = {**os.environ, "HOME": str(home), "XDG_CONFIG_HOME": str(home / "config")}
    done = subprocess.run(
        [*command, *(["--model", model] if model else [])],
        cwd=ROOT,
        env={**environment, "XDG_DATA_HOME": str(home / "data"), "XDG_CACHE_HOME": str(home / "cache")},
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
    )
    if not done.stdout:
        raise SystemExit(f"agents check {agent} exited with {done.returncode}:\n{done.stderr}")
    results: list[Json] = json.loads(done.stdout)
    for result in results:
        sys.stderr.write(f"{agent}: {result['name']}: {result.get('passed')} ({result['detail']})\n")
    return results


def _toml(name: str, runner: Mapping[str, Any]) -> str:
    env = ", ".join(f"{key} = {json.dumps(value)}" for key, value in runner["env"].items())
    return f'[runners.{name}]\ntype = "acp"\nenv = {{ {env} }}\n'


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _plain(text: str) -> str:
    """Return a detail on one line, without what Markdown would take for its own."""
    return re.sub(r"([\\`*_<>|])", r"\\\1", " ".join(text.split()))


if __name__ == "__main__":
    main()
