"""Call git without the user's hooks, prompts and settings that would change what is transferred."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from sidecar.subagents.runners.remote.git_work import started

_SETTINGS = (
    "core.hooksPath=/dev/null",
    "core.autocrlf=false",
    "core.fsmonitor=false",
    "core.filesRefLockTimeout=20000",
    "gc.auto=0",
    "maintenance.auto=false",
    "commit.gpgSign=false",
    "log.showSignature=false",
    "protocol.file.allow=always",
)
_IDENTITY = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "Subagent Sidecar"), ("EMAIL", "sidecar@localhost"))
}
_DROPPED = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR")


WITHOUT_SETTINGS: Mapping[str, str] = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_ATTR_NOSYSTEM": "1",
    "XDG_CONFIG_HOME": os.devnull,
}
"""Leaves out the settings of the user and the system, which can run programs."""
LARGE_SECONDS = 600.0
"""How long git may take to pack, unpack or check out a whole repository."""


class GitError(Exception):
    """A git command failed; the text has the command and the end of its stderr.

    `stdout` is what it printed, and `code` its exit code, None if it did not end.
    """

    def __init__(self, message: str, stdout: bytes = b"", code: int | None = None) -> None:
        super().__init__(message)
        self.stdout = stdout
        self.code = code


class GitTimeout(GitError):
    """A git command took too long. It may end in time later."""


def is_without_repository(error: GitError) -> bool:
    """Return whether a command failed because its folder is not in a repository."""
    return "not a git repository" in str(error)


def git(
    folder: Path,
    *args: str,
    env: Mapping[str, str] | None = None,
    stdin: bytes | None = None,
    timeout: float = 120,
) -> bytes:
    """Run git in a folder and return its stdout. Raises GitError. Blocking."""
    argv = ["git", *(part for each in _SETTINGS for part in ("-c", each)), *args]
    inherited = {name: value for name, value in os.environ.items() if name not in _DROPPED}
    environment = {**inherited, **_IDENTITY, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C", **(env or {})}

    def start() -> "subprocess.Popen[bytes]":
        pipe = subprocess.PIPE
        source = None if stdin is None else pipe
        return subprocess.Popen(argv, cwd=folder, env=environment, stdin=source, stdout=pipe, stderr=pipe)

    try:
        with started(start) as process:
            stdout, stderr = process.communicate(stdin, timeout)
    except FileNotFoundError:
        raise GitError("git is not installed; install it") from None
    except subprocess.TimeoutExpired:
        raise GitTimeout(f"git {args[0]} did not end within {timeout:.0f} s") from None
    if process.returncode:
        raise GitError(f"git {args[0]}: {_last_words(stderr)}", stdout, process.returncode)
    return stdout


def line(folder: Path, *args: str, env: Mapping[str, str] | None = None) -> str:
    """Run git and return its stdout as one line."""
    return git(folder, *args, env=env).decode("utf-8", "surrogateescape").rstrip("\n")


def snapshot(top: Path, index: Path, parents: Sequence[str], message: str, *, at: str | None = None) -> str:
    """Commit everything in a work tree that git does not ignore; return the commit.

    `index` is a private index file that may hold a copy of the tree's own. Refs, index and files stay as
    they are. Returns the first parent if nothing differs from it. `at` is the date of the commit; equal
    contents with equal dates are the same commit.
    """
    private = {"GIT_INDEX_FILE": str(index)}
    git(top, "add", "--all", "--", ".", env=private, timeout=LARGE_SECONDS)
    return commit_index(top, parents, message, private, at=at)


def commit_index(
    top: Path, parents: Sequence[str], message: str, env: Mapping[str, str], *, at: str | None = None
) -> str:
    """Commit the index that `env` names; see `snapshot`."""
    tree = line(top, "write-tree", env=env)
    if parents and line(top, "rev-parse", f"{parents[0]}^{{tree}}", env=env) == tree:
        return parents[0]
    given = [part for parent in parents for part in ("-p", parent)]
    dates = {} if at is None else {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at}
    return line(top, "commit-tree", tree, *given, "-m", message, env={**env, **dates})


def bundle(
    repository: Path, ref: str, commit: str, known: Sequence[str], env: Mapping[str, str] | None = None
) -> bytes:
    """Return a git bundle that sets `ref` to a commit, without what the receiver has.

    `git bundle create` needs a ref of the repository; this one leaves its refs alone.
    """
    # With --shallow and --no-sparse, files of known commits are left out even if these are not ancestors.
    options = ("--thin", "--shallow", "--no-sparse")
    revisions = [commit, *(f"^{each}" for each in known)]
    return bundle_head(ref, commit, known) + pack(repository, revisions, options, env)


def pack(
    repository: Path, revisions: Sequence[str], options: Sequence[str], env: Mapping[str, str] | None
) -> bytes:
    """Return a pack of the objects of revisions. Raises GitError. Blocking."""
    wanted = "".join(f"{each}\n" for each in revisions).encode()
    given = ("--revs", *options, "--stdout", "--quiet")
    return git(repository, "pack-objects", *given, env=env, stdin=wanted, timeout=LARGE_SECONDS)


def bundle_head(ref: str, commit: str, known: Sequence[str]) -> bytes:
    """Return what precedes the pack in a bundle."""
    prerequisites = "".join(f"-{each}\n" for each in known)
    return f"# v2 git bundle\n{prerequisites}{commit} {ref}\n\n".encode()


def commit_of(bundled: bytes) -> str:
    """Return the commit that a bundle of `bundle` sets its ref to."""
    head, _, _ = bundled.partition(b"\n\n")
    return head.splitlines()[-1].split()[0].decode()


def unbundle(repository: Path, file: Path) -> list[str]:
    """Add the objects of a bundle to a repository; return the commits that the bundle names.

    The names of its refs are ignored: they are the sender's, which could be those of any branch.
    """
    listed = git(repository, "bundle", "unbundle", str(file), timeout=LARGE_SECONDS).decode().splitlines()
    return [each.partition(" ")[0] for each in listed]


def check_complete(repository: Path, commit: str, base: str, env: Mapping[str, str] | None = None) -> None:
    """Raise GitError unless a repository has all objects that a commit adds to the base. Blocking."""
    options = ("--objects", "--quiet", "--exclude-promisor-objects")
    git(repository, "rev-list", *options, commit, "--not", base, env=env, timeout=LARGE_SECONDS)


def _last_words(stderr: bytes) -> str:
    text = stderr.decode("utf-8", "replace").strip()
    return text[-500:] or "it failed without a message"
