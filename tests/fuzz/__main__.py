"""Fuzz a reader for a number of seconds. Needs the optional package atheris; failing inputs are kept."""

import argparse
import sys
import tempfile
from pathlib import Path

FOUND = Path(tempfile.gettempdir()) / "subagent-sidecar-fuzz"
LARGEST = 4_096


def main() -> None:
    """Run libFuzzer over the inputs of a target; new inputs go to a directory of their own."""
    try:
        import atheris
    except ImportError:
        sys.exit("fuzzing needs atheris: pip install 'subagent-sidecar[fuzz]'")
    with atheris.instrument_imports(include=["sidecar"]):
        from tests.fuzz.targets import TARGETS
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--found", type=Path, default=FOUND, help="where inputs go that reach new code")
    options = parser.parse_args()
    target, found = TARGETS[options.target], options.found / options.target
    found.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        corpus = Path(scratch) / "corpus"
        corpus.mkdir()
        for name, seeds in target.seeds.items():
            folder = Path(scratch) / name
            folder.mkdir()
            for number, data in enumerate(seeds(folder)):
                (corpus / f"{name}-{number}").write_bytes(data)
        arguments = [
            f"-max_total_time={options.seconds}",
            f"-max_len={LARGEST}",
            "-timeout=5",
            f"-artifact_prefix={found}/",
            str(found),  # libFuzzer writes to the first directory only
            str(corpus),
        ]
        atheris.Setup([sys.argv[0], *arguments], target.read)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
