"""Serve the example on the standard streams: `python -m sidecar.cli.demo.show`."""

import asyncio
import sys
from typing import Any

import acp

from sidecar.cli.demo.show.script import Show

agent: Any = Show()
sys.exit(asyncio.run(acp.run_agent(agent)))
