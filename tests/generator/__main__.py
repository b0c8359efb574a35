"""Write a corpus: `python -m tests.generator OUT --tasks N [--bytes B] [--seed S] [--hostile]`."""

import argparse
import json
from pathlib import Path

from tests.generator import ERAS, generate, sized, write_hostile


def main() -> None:
    parser = argparse.ArgumentParser(prog="tests.generator", description=__doc__)
    parser.add_argument("out", type=Path, help="a new folder: one root per era, or with --bytes one root")
    parser.add_argument("--tasks", type=int, default=100)
    parser.add_argument("--bytes", type=int, help="bytes of messages per task: one root for benchmarks")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--hostile", action="store_true", help="add the damaged and hostile folders")
    given = parser.parse_args()
    if given.bytes:
        tasks = sized(given.out, given.tasks, given.bytes, given.seed)
    else:
        tasks = [
            task
            for era in ERAS
            for task in generate(given.out / era.folder, era, -(-given.tasks // len(ERAS)), given.seed)
        ]
    if given.hostile:
        write_hostile(given.out)
    lines = [json.dumps({"root": str(task.root), **task.truth}, ensure_ascii=False) for task in tasks]
    (given.out / "truth.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


main()
