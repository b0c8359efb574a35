"""Node's `JSON.parse` and the readers of message files agree on what is valid JSON."""

import base64
import json
import subprocess
from random import Random
from typing import Any

from sidecar.history.stores.task_folders.records import ui_parser
from sidecar.javascript.json_text import is_accepted
from tests.history.damage.json_mutations import mutated
from tests.history.damage.test_strict_json import ACCEPTED, NOT_JSON, REFUSED

_JUDGE = """
const judge = (file) => {
    let value
    try { value = JSON.parse(Buffer.from(file, "base64").toString("utf-8")) } catch { return "refused" }
    const isObject = (it) => it !== null && typeof it === "object" && !Array.isArray(it)
    return Array.isArray(value) && value.every(isObject) ? "messages" : "other"
}
const files = JSON.parse(require("fs").readFileSync(0, "utf-8"))
process.stdout.write(JSON.stringify(files.map(judge)))
"""


def judged(files: list[bytes]) -> list[str]:
    text = json.dumps([base64.b64encode(file).decode() for file in files])
    done = subprocess.run(
        ["node", "-e", _JUDGE], input=text, capture_output=True, text=True, check=True, timeout=60
    )
    verdicts: Any = json.loads(done.stdout)
    return [str(verdict) for verdict in verdicts]


def test_a_file_has_a_problem_if_and_only_if_node_refuses_it() -> None:
    files = [*ACCEPTED.values(), *REFUSED.values(), *(mutated(Random(seed)) for seed in range(3_000))]
    verdicts = judged(files)
    assert {"refused", "messages", "other"} == set(verdicts)
    for file, verdict in zip(files, verdicts, strict=True):
        codes = {each.code for each in ui_parser.parse(file, "file").problems}
        if verdict == "refused":
            assert codes & NOT_JSON, file
        elif verdict == "messages":
            assert codes <= {"badUtf8"}, file
        assert is_accepted(file) == (verdict != "refused"), file
