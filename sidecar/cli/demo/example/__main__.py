"""Serve the example on the standard streams: `python -m sidecar.cli.demo.example`."""

import asyncio
import sys
from typing import Any

import acp

from sidecar.cli.demo.example.script import ExampleAgent

agent: Any = ExampleAgent()
sys.exit(asyncio.run(acp.run_agent(agent)))
