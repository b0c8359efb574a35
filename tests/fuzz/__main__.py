"""Fuzz for a number of seconds. Needs the optional package atheris; inputs that fail are kept and named."""

import argparse
import sys
from pathlib import Path

CORPUS = Path(__file__).parent / "corpus"
LARGEST = 4_096


def main() -> None:
    """Run libFuzzer over the saved corpus; new inputs go to a directory of their own, if one is named."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--found", type=Path, help="a directory for new inputs that reach new code")
    options = parser.parse_args()
    try:
        import atheris
    except ImportError:
        sys.exit("fuzzing needs atheris: pip install 'subagent-sidecar[fuzz]'")
    with atheris.instrument_imports(include=["sidecar.history"]):
        from tests.fuzz.target import read_all
    directories = [str(path) for path in (options.found, CORPUS) if path is not None]
    arguments = [f"-max_total_time={options.seconds}", f"-max_len={LARGEST}", "-timeout=5"]
    atheris.Setup([sys.argv[0], *arguments, *directories], read_all)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
