"""Name the newest commits whose subject is too long: `python -m scripts.commit_subjects [REPOSITORY]`.

Subjects that begin with "Merge " are left out, because git and GitHub write those.
"""

import subprocess
import sys

COMMITS, LONGEST = 20, 72


def long_subjects(repository: str) -> list[str]:
    """Return a line for each long subject among the newest commits; a shallow clone has fewer of them."""
    command = ["git", "-C", repository, "log", f"-{COMMITS}", "--format=%h %s"]
    log = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=True).stdout
    subjects = [line.partition(" ")[::2] for line in log.splitlines()]
    return [
        f"The subject of commit {commit} has {len(subject)} characters, {LONGEST} are allowed: {subject}"
        for commit, subject in subjects
        if len(subject) > LONGEST and not subject.startswith("Merge ")
    ]


def main() -> None:
    """Print what is wrong and how to fix it; exit with 1 if there is anything."""
    found = long_subjects(sys.argv[1] if len(sys.argv) > 1 else ".")
    for line in found:
        sys.stderr.write(f"{line}\n")
    if found:
        sys.exit("Shorten them with git rebase --interactive, which asks for new subjects with reword.")


if __name__ == "__main__":
    main()
