"""A node's cache of one repository: the objects of the commits that runs started from."""

import fcntl
import logging
import os
import shutil
from pathlib import Path

from sidecar.subagents.runners.remote.git import GitError, git, line, unbundle

logger = logging.getLogger(__name__)

_BASES = "refs/bases"
_REPACK_SECONDS = 60.0
_MOST_TIPS = 64
"""How many commits of a cache are listed for a sidecar, the newest first."""


class NodeCache:
    """A bare repository. Each run holds it while it needs its objects, so that no cleanup removes them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._held: int | None = None

    @property
    def objects(self) -> Path:
        """The folder of its objects."""
        return self.folder / "objects"

    def hold(self) -> None:
        """Protect the cache from cleanup until this process ends. Blocking, while it is being cleaned up."""
        if self._held is None:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._held = self._open()
            fcntl.flock(self._held, fcntl.LOCK_SH)

    def release(self) -> None:
        """Allow the cache to be cleaned up."""
        if self._held is not None:
            os.close(self._held)
            self._held = None

    def try_alone(self) -> bool:
        """Hold the cache exclusively until `release`; return False while a run needs it."""
        self._held = self._open()
        try:
            fcntl.flock(self._held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.release()
            return False
        return True

    def known(self) -> list[str]:
        """Return the commits that the cache holds; make the cache if there is none. Blocking."""
        self.hold()
        with (self.folder / "in-use.init").open("w") as alone:
            fcntl.flock(alone, fcntl.LOCK_EX)  # two runs may create it at once
            if not (self.folder / "HEAD").exists():
                git(self.folder, "init", "--quiet", "--bare", ".")
            try:
                found = self._tips()
            except GitError as error:
                self._renew(error)
                found = []
        os.utime(self.folder)
        return found

    def _tips(self) -> list[str]:
        options = ("--sort=-creatordate", f"--count={_MOST_TIPS}", "--format=%(objectname)")
        return list(dict.fromkeys(line(self.folder, "for-each-ref", *options, _BASES).split()))

    def _renew(self, damage: GitError) -> None:
        """Rebuild the cache. Raises GitError with the remedy while other runs need its objects."""
        assert self._held is not None, "this run holds it"
        try:
            fcntl.flock(self._held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise GitError(
                f"the node's cache of this repository is damaged ({damage}), and other runs use it; launch "
                "again when they have ended"
            ) from None
        else:
            logger.warning("the cache %s is damaged and is rebuilt: %s", self.folder, damage)
            for each in self.folder.iterdir():
                if each.is_dir():
                    shutil.rmtree(each)
                elif not each.name.startswith("in-use"):
                    each.unlink()
            git(self.folder, "init", "--quiet", "--bare", ".")
        finally:
            fcntl.flock(self._held, fcntl.LOCK_SH)  # flock may drop the old lock when a conversion fails

    def take(self, bundle: Path | None, base: str) -> None:
        """Take over a bundle, and note that a run uses a commit. Blocking."""
        if bundle is not None:
            unbundle(self.folder, bundle)
        git(self.folder, "update-ref", f"{_BASES}/{base}", base)
        used = self._uses / base
        used.parent.mkdir(exist_ok=True)
        used.touch()

    def last_uses(self) -> dict[str, float]:
        """Return when a run last used each commit, the latest first. Blocking."""
        bases = line(self.folder, "for-each-ref", "--format=%(objectname)", _BASES).split()
        # Earlier versions recorded no uses: take the time of the cache, which each run touches.
        files = {base: self._uses / base for base in bases}
        times = {
            base: file.stat().st_mtime if file.exists() else self.folder.stat().st_mtime
            for base, file in files.items()
        }
        return dict(sorted(times.items(), key=lambda each: -each[1]))

    def forget(self, bases: list[str]) -> None:
        """Drop commits, and the objects that no other commit needs. Blocking. Requires `try_alone`."""
        commands = "".join(f"delete {_BASES}/{base}\n" for base in bases)
        git(self.folder, "update-ref", "--stdin", stdin=commands.encode())
        for base in bases:
            (self._uses / base).unlink(missing_ok=True)
        git(self.folder, "repack", "-a", "-d", "-q", timeout=_REPACK_SECONDS)
        git(self.folder, "prune", "--expire=now", timeout=_REPACK_SECONDS)

    def size(self) -> int:
        """Return the size of its objects, in bytes. Blocking."""
        return sum(each.stat().st_size for each in self.objects.rglob("*") if each.is_file())

    @property
    def _uses(self) -> Path:
        return self.folder / "uses"

    def _open(self) -> int:
        return os.open(self.folder / "in-use", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
