"""How one of our modules is started as a program of its own."""

import os
import sys

_BOOT = (
    "import os, runpy, sys; sys.path[:] = sys.argv.pop(1).split(os.pathsep); "
    "runpy.run_module(sys.argv.pop(1), run_name='__main__')"
)


def module_command(name: str) -> tuple[str, ...]:
    """Return the argv that runs a module, or a package's `__main__`; arguments may follow.

    This process's path is handed over: the working directory, which may be anybody's, is not on it, and no
    variable carries the path on to the programs that the module starts.
    """
    return (sys.executable, "-P", "-c", _BOOT, os.pathsep.join(filter(None, sys.path)), name)
