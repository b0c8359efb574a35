"""The command line as processes of its own."""

from tests.cli.program import cli as cli
from tests.cli.program import launched as launched
