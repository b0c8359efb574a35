"""Build the command that runs a module of this package as a separate program."""

import os
import sys

_BOOT = (
    "import os, runpy, sys; sys.path[:] = sys.argv.pop(1).split(os.pathsep); "
    "runpy.run_module(sys.argv.pop(1), run_name='__main__')"
)


def module_command(name: str) -> tuple[str, ...]:
    """Return the argv that runs a module, or a package's `__main__`; append arguments to it.

    The module gets this process's `sys.path` as an argument. The working directory, which may not be
    trusted, is not on it, and no environment variable passes it to the programs that the module starts.
    """
    return (sys.executable, "-P", "-c", _BOOT, os.pathsep.join(filter(None, sys.path)), name)
