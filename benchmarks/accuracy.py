"""Measure the accuracy of session lists: `python -m benchmarks.accuracy [--seed N] [--rounds N] [--peer]`.

Writes the corpus of known answers, lists each store in a process of its own, and prints the tables of
docs/accuracy.md. With `--peer`, ccusage from npm sums the tokens of the same files.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from sidecar.corpus.compare import FIELDS, Score, score
from sidecar.corpus.stores import STORES, write_corpus
from sidecar.corpus.truth import NOW_MS, TRUTH_FILE

CCUSAGE: Final = "ccusage@20.0.24"
"""https://github.com/ryoppippi/ccusage, which sums the usage of the same files."""
PLACES: Final = {
    "claude": ".claude",
    "codex": ".codex",
    "opencode": ".local/share/opencode",
    "kilo": ".local/share/kilo",
    "gemini": ".gemini",
    "qwen": ".qwen",
    "copilot": ".copilot",
}
"""Where ccusage finds the stores that it reads, below the home."""
_FIGURES: Final = {
    "input": "inputTokens",
    "output": "outputTokens",
    "cacheReads": "cacheReadTokens",
    "cacheWrites": "cacheCreationTokens",
}
_SECONDS: Final = 300
Truths = Mapping[str, list[Mapping[str, Any]]]


def main() -> int:
    """Print the tables; return 1 if a value of the sidecar is wrong."""
    given = _arguments()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_corpus(folder / "corpus", given.seed, given.rounds)
        truths = _read_truths(folder / "corpus")
        scores = {store: score(truths[store], _rows(folder, store)) for store in STORES}
        print(_score_table(scores))
        if given.peer:
            print(_peer_table(folder, truths))
    wrong = any(each.right[field] < each.sessions for each in scores.values() for field in FIELDS)
    return 1 if wrong or any(each.missing or each.extra for each in scores.values()) else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--peer", action="store_true")
    return parser.parse_args()


def _read_truths(corpus: Path) -> Truths:
    found: defaultdict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for line in (corpus / TRUTH_FILE).read_text(encoding="utf-8").splitlines():
        truth = json.loads(line)
        found[truth["store"]].append(truth)
    return found


def _rows(folder: Path, store: str) -> list[Mapping[str, Any]]:
    """List one store with the command that a person uses."""
    caches = {"XDG_CACHE_HOME": str(folder / "cache"), "SIDECAR_STORAGE_ROOT": str(folder / "own")}
    command = [sys.executable, "-m", "sidecar", "list", "--children", "--json", "--root"]
    result = _run([*command, str(folder / "corpus" / store)], {**caches, "SIDECAR_NOW_MS": str(NOW_MS)})
    rows: list[Mapping[str, Any]] = json.loads(result)["items"]
    return rows


def _run(command: Iterable[str], environment: Mapping[str, str]) -> str:
    done = subprocess.run(
        [*command], env={**os.environ, **environment}, capture_output=True, check=True, timeout=_SECONDS
    )
    return done.stdout.decode()


def _score_table(scores: Mapping[str, Score]) -> str:
    """Write how many values of each field are right, as a Markdown table."""
    lines = [f"| field | {' | '.join(scores)} |", "|---" * (len(scores) + 1) + "|"]
    lines.append(f"| sessions | {' | '.join(str(each.sessions) for each in scores.values())} |")
    for kind in ("missing", "extra"):
        lines.append(f"| {kind} rows | {' | '.join(str(getattr(each, kind)) for each in scores.values())} |")
    for field in FIELDS:
        parts = (100 * each.right[field] / each.sessions for each in scores.values())
        lines.append(f"| `{field}` | {' | '.join(f'{part:.2f} %' for part in parts)} |")
    return "\n".join(lines) + "\n"


def _peer_table(folder: Path, truths: Truths) -> str:
    """Write how far ccusage's sums are from the true ones, as a Markdown table."""
    program = _install()
    lines = [f"| {CCUSAGE}, deviation of sums | {' | '.join(_FIGURES)} |", "|---" * (len(_FIGURES) + 1) + "|"]
    for store in (store for store in STORES if store in PLACES):
        place = folder / "home" / PLACES[store]
        place.parent.mkdir(parents=True, exist_ok=True)
        (folder / "corpus" / store).rename(place)
        output = _run([program, store, "session", "--json", "--offline"], {"HOME": str(folder / "home")})
        sums = json.loads(output).get("totals") or {}
        cells = []
        for field, name in _FIGURES.items():
            true = sum((truth["tokenUsage"] or {}).get(field) or 0 for truth in truths[store])
            cells.append(_deviation(true, sums.get(name, 0)))
        lines.append(f"| {store} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _deviation(true: int, got: int) -> str:
    return f"{100 * (got - true) / true:+.1f} %" if true else "0" if not got else f"{got:,} instead of 0"


def _install() -> str:
    """Install ccusage once, next to the other caches of this repository; return its program."""
    place = Path(__file__).parents[1] / ".cache" / "ccusage"
    program = place / "node_modules" / ".bin" / "ccusage"
    if not program.exists():
        place.mkdir(parents=True, exist_ok=True)
        _run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(place), CCUSAGE], {})
    return str(program)


if __name__ == "__main__":
    sys.exit(main())
