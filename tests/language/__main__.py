"""Print the idioms of files and folders, by default of all that people read."""

import sys
from collections import Counter

from tests.language.scan import findings

ALL = (
    ".github",
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "CHANGELOG.md",
    "benchmarks",
    "client-ts/CHANGELOG.md",
    "client-ts/README.md",
    "client-ts/assistants",
    "client-ts/package.json",
    "client-ts/package.nls.json",
    "client-ts/src",
    "client-ts/test",
    "client-ts/webview",
    "docs",
    "examples",
    "pyproject.toml",
    "scripts",
    "sidecar",
    "tests",
)


def main() -> None:
    """Print each finding, then how often each idiom was found; exit with 1 if there are any."""
    found = list(findings(sys.argv[1:] or ALL))
    for finding in found:
        sys.stdout.write(f"{finding}\n")
    counts = Counter(finding.words.lower() for finding in found)
    often = ", ".join(f"{words} {count}" for words, count in counts.most_common())
    sys.stdout.write(f"{len(found)} idioms: {often}\n")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
