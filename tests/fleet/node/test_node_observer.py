"""What an agent asks on a node is answered by the observer of the sidecar."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from sidecar.api.runs.questions import QuestionSchema
from sidecar.fleet.node_observer import NodeObserver
from sidecar.subagents.permissions.question import Answer, FileChange, Option, Question
from sidecar.subagents.questions.question import AgentQuestion, Reply
from sidecar.subagents.runners.contract import RunObserver
from sidecar.subagents.runners.remote.job import to_plain
from sidecar.subagents.runners.remote.run.questions import OpenQuestions

ALLOW = Option("yes", "Allow", "allow_once")
QUESTION = Question(
    request_id="1",
    title="edit a.txt",
    options=(ALLOW,),
    arguments={"path": "a.txt"},
    changes=(FileChange("a.txt", None, "new"),),
)
FORM = AgentQuestion(request_id="2", title="Which?", form=QuestionSchema(properties={}, required=[]))


class Person(RunObserver):
    """Answers what it is asked, and keeps it."""

    def __init__(self) -> None:
        self.asked: list[Any] = []

    async def ask(self, question: Question) -> Answer:
        self.asked.append(question)
        return Answer(ALLOW)

    async def ask_user(self, question: AgentQuestion) -> Reply:
        self.asked.append(question)
        return Reply("accept", {"which": "this"})

    async def decline(self, question: AgentQuestion, reason: str) -> Reply:
        self.asked.append(reason)
        return Reply("decline", reason=reason)


class Connection:
    """A node and a sidecar without a cluster between them."""

    def __init__(self) -> None:
        self.person = Person()
        self.lines: list[dict[str, Any]] = []
        self.node = NodeObserver(self.record, lambda: None, Path())
        self.questions = OpenQuestions(self.person, self.pass_on)

    def pass_on(self, number: str, answer: Answer | Reply) -> None:
        self.node.answer(number, to_plain(answer))

    def record(self, line: dict[str, Any]) -> None:
        self.lines.append(line)
        if "ask" in line:
            self.questions.ask(line["ask"])


@pytest.fixture
def connection() -> Connection:
    return Connection()


async def test_requests_and_questions_keep_their_content(connection: Connection) -> None:
    node = connection.node
    assert await node.ask(QUESTION) == Answer(ALLOW)
    assert await node.ask_user(FORM) == Reply("accept", {"which": "this"})
    assert await node.decline(FORM, "nobody is there") == Reply("decline", reason="nobody is there")
    assert connection.person.asked == [QUESTION, FORM, "nobody is there"]
    assert node.state()["open"] == []


async def test_a_withdrawn_question_is_not_open(connection: Connection) -> None:
    connection.questions.close()
    node = NodeObserver(connection.lines.append, lambda: None, Path())
    asking = asyncio.create_task(node.ask(QUESTION))
    while not node.state()["open"]:
        await asyncio.sleep(0)
    assert [each["number"] for each in node.state()["open"]] == ["1"]
    asking.cancel()
    await asyncio.wait({asking})
    assert node.state()["open"] == [] and connection.lines[-1] == {"withdrawn": "1"}


async def test_an_answer_that_did_not_arrive_is_sent_again() -> None:
    sent: list[str] = []
    person = Person()
    questions = OpenQuestions(person, lambda number, answer: sent.append(number))
    asked = {"number": "1", "question": to_plain(QUESTION)}
    questions.ask(asked)
    questions.ask(asked)
    while not sent:
        await asyncio.sleep(0)
    questions.ask(asked)
    assert sent == ["1", "1"] and len(person.asked) == 1
