"""A client of a shared Host: it also follows and cancels what others launched."""

import random
from pathlib import Path
from typing import Any

from tests.campaign.scenario import Client
from tests.campaign.sharing.claims import ClientNotes

Json = dict[str, Any]


class SharingClient(Client):
    """One of the clients of a root; `notes` are its own."""

    def __init__(self, notes: ClientNotes, workspace: Path, dice: random.Random) -> None:
        super().__init__(notes, workspace, dice)
        self.notes = notes
        self._folder = workspace
        self._choices = dice
        self._followed: set[str] = set()

    async def initialize(self) -> Json:
        """Enter the Host; returns the answer."""
        answer: Json = await self.link.request(
            "initialize",
            protocolVersion=1,
            clientInfo={"name": f"client {self.notes.number}"},
            workspaceFolders=[str(self._folder)],
            workspaceTrusted=True,
        )
        return answer

    async def launch(self, runner: str, goal: str) -> str | None:
        """Launch a run, and sometimes follow one of another client."""
        task_id = await super().launch(runner, goal)
        if task_id is not None:
            self._followed.add(task_id)
        others = [each for each in self.notes.launched if each not in self._followed]
        if others and self._choices.random() < 0.5:
            other = self._choices.choice(others)
            self._followed.add(other)
            await self.link.request("asyncTasks/subscribe", taskId=other, afterSeq=0)
        return task_id

    async def _take_reminder(self, *, acknowledge: bool) -> list[str]:
        self.notes.before_asking()
        task_ids = await super()._take_reminder(acknowledge=acknowledge)
        if acknowledge:
            self.notes.gone()
        return task_ids
