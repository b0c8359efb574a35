"""Fuzz for a number of seconds. Needs the optional package atheris; inputs that fail are kept and named."""

import argparse
import sys
import tempfile
from pathlib import Path

CORPUS = Path(__file__).parent / "corpus"
FOUND = Path(tempfile.gettempdir()) / "subagent-sidecar-fuzz"
LARGEST = 4_096


def main() -> None:
    """Run libFuzzer over the saved corpus; what it finds goes to a directory of its own."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--found", type=Path, default=FOUND, help="where inputs go that reach new code")
    options = parser.parse_args()
    try:
        import atheris
    except ImportError:
        sys.exit("fuzzing needs atheris: pip install 'subagent-sidecar[fuzz]'")
    with atheris.instrument_imports(include=["sidecar.history"]):
        from tests.fuzz.target import read_all
    options.found.mkdir(parents=True, exist_ok=True)
    arguments = [
        f"-max_total_time={options.seconds}",
        f"-max_len={LARGEST}",
        "-timeout=5",
        f"-artifact_prefix={options.found}/",
        str(options.found),  # libFuzzer writes to the first directory only
        str(CORPUS),
    ]
    atheris.Setup([sys.argv[0], *arguments], read_all)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
