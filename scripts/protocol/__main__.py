"""Write what is generated from the wire's types and the model's tools, or report what is stale."""

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path

from scripts.protocol import json_schema, manifest, markdown, typescript
from scripts.protocol.read import read_protocol

ROOT = Path(__file__).resolve().parents[2]


def rendered() -> Mapping[Path, str]:
    """Return the text of each generated file by its path."""
    protocol = read_protocol()
    package = ROOT / "client-ts" / "package.json"
    return {
        package: manifest.render(package.read_text(encoding="utf-8")),
        ROOT / "docs" / "protocol.schema.json": json_schema.render(protocol),
        ROOT / "docs" / "protocol.md": markdown.render(protocol),
        ROOT / "client-ts" / "src" / "protocol.ts": typescript.render(protocol),
    }


def stale_files() -> list[Path]:
    """Return the generated files that differ from the sources."""
    return [path for path, text in rendered().items() if _read(path) != text]


def main() -> int:
    """Write the files; with `--check` only compare, and return 1 when one is stale."""
    parser = argparse.ArgumentParser(prog="scripts/generate", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail when a file is stale")
    if not parser.parse_args().check:
        for path, text in rendered().items():
            path.write_text(text, encoding="utf-8")
        return 0
    stale = stale_files()
    for path in stale:
        sys.stderr.write(f"{path.relative_to(ROOT)} is stale; run scripts/generate\n")
    return 1 if stale else 0


def _read(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.exists() else None


if __name__ == "__main__":
    sys.exit(main())
