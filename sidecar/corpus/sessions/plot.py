"""What happens in a session, before a product writes it down; the truth follows from here alone."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, Literal

from sidecar.corpus.truth import Used, by_model

End = Literal["answered", "cancelled", "failed", "open", "killed"]
NOW = 1_776_254_400_000
"""The time at which the truth holds, in ms."""
DAY = 86_400_000
_WORDS = "parse cache export login диаграмма 日志 schema retry queue über timeout 🚀 index".split()  # noqa: SIM905
_FOLDERS = ("/home/dana/app", "C:\\Users\\sam\\Работа\\shop", "/workspaces/a b", "d:\\x\\y")
_MODELS = ("claude-sonnet-4-5", "gpt-5.2", "z-ai/glm-4.7")


@dataclass(frozen=True)
class Answer:
    """One answer of a model; times in ms, `cost` in USD, `output` without reasoning."""

    at: int
    done: int
    text: str
    thought: str
    tool: tuple[str, dict[str, Any], str] | None
    input: int
    output: int
    reasoning: int
    reads: int
    writes: int
    cost: float
    model: str


@dataclass(frozen=True)
class Turn:
    """A prompt and its answers."""

    at: int
    prompt: str
    answers: list[Answer]


@dataclass(frozen=True)
class Plot:
    """One session. `paid` is False for a subscription, which records a cost of 0."""

    name: int
    title: str | None
    folder: str
    created: int
    turns: list[Turn]
    end: End
    paid: bool = True
    children: list["Plot"] = field(default_factory=list)

    @property
    def answers(self) -> list[Answer]:
        """Return all answers in order."""
        return [answer for turn in self.turns for answer in turn.answers]

    @property
    def last(self) -> int:
        """Return the time of the last record, in ms."""
        return max([turn.at for turn in self.turns] + [answer.done for answer in self.answers])


def sentence(random: Random) -> str:
    """Make a text that occurs once."""
    return " ".join(random.choices(_WORDS, k=random.randint(2, 6))) + f" {random.randrange(16**6):06x}"


def make_plot(random: Random, created: int, depth: int = 0) -> Plot:
    """Invent a session; those that were broken off are over a week old, so that their status is settled."""
    model, at, turns = random.choice(_MODELS), created + random.randint(3, 9_000), []
    end: End = random.choice(("answered", "answered", "answered", "cancelled", "failed", "open", "killed"))
    paid = random.random() < 0.8
    for _ in range(random.randint(1, 4)):
        prompt, asked, answers = sentence(random), at, []
        if random.random() < 0.2:  # the person chooses another model
            model = random.choice(_MODELS)
        for step in range(count := random.randint(1, 4)):
            at += random.randint(500, 60_000)
            done = at + random.randint(50, 900)
            tool = _tool(random) if step < count - 1 else None
            answers.append(_answer(random, at, done, model, tool, paid))
            at = done
        turns.append(Turn(asked, prompt, answers))
        at += random.randint(1_000, 600_000)
    if end in ("open", "killed"):
        last = turns[-1].answers[-1]
        turns[-1].answers[-1] = replace(last, tool=_tool(random))
    title = random.choice((None, sentence(random), "  two\n lines  of it "))
    folder = random.choice(_FOLDERS)
    children = [
        make_plot(random, created + 1_000 * (place + 1), depth + 1)
        for place in range(random.choice((0, 0, 1, 2)) if depth < 2 else 0)
    ]
    return Plot(random.randrange(16**9), title, folder, created, turns, end, paid, children)


def _answer(random: Random, at: int, done: int, model: str, tool: Any, paid: bool) -> Answer:
    return Answer(
        at,
        done,
        sentence(random),
        random.choice(("", sentence(random))),
        tool,
        random.randrange(9_000),
        random.randrange(1, 2_000),
        random.choice((0, random.randrange(900))),
        random.randrange(90_000),
        random.choice((0, random.randrange(9_000))),
        round(random.uniform(0.0001, 2), 7) if paid else 0,
        model,
    )


def _tool(random: Random) -> tuple[str, dict[str, Any], str]:
    path = f"src/{random.choice(('a', 'b', 'ü'))}.py"
    return random.choice(
        (
            ("read", {"filePath": path}, "one\ntwo"),
            ("edit", {"filePath": path, "oldString": "one\ntwo\n", "newString": "one\n2\n3\n"}, "done"),
            ("write", {"filePath": path, "content": "x\ny\n"}, "done"),
            ("bash", {"command": "ls"}, '{"usage":{"input_tokens":99999}}'),
        )
    )


def make_plots(seed: int, count: int) -> list[Plot]:
    """Invent sessions of the last months."""
    random = Random(seed)
    return [make_plot(random, NOW - random.randint(8 * DAY, 90 * DAY)) for _ in range(count)]


def family(plot: Plot) -> Iterator[Plot]:
    """Yield a session and all its descendants."""
    yield plot
    for child in plot.children:
        yield from family(child)


STATUS = {
    "answered": ("completed", "completed"),
    "cancelled": ("abandoned", "cancelled"),
    "failed": ("failed", "failed"),
    "open": ("abandoned", "interrupted"),
    "killed": ("abandoned", "interrupted"),
}


def usage(plot: Plot, extra: list[Answer] | None = None) -> dict[str, Any]:
    """Return the true figures of one session; `extra` are answers next to the messages, such as summaries."""
    answers = plot.answers + (extra or [])
    figures: dict[str, Any] = {
        "input": sum(each.input for each in answers),
        "output": sum(each.output + each.reasoning for each in answers),
        "cacheReads": sum(each.reads for each in answers),
        "cacheWrites": sum(each.writes for each in answers),
    }
    figures["total"] = figures["input"] + figures["output"]
    figures["cost"] = sum(each.cost for each in answers) if plot.paid else None
    return {**figures, "byModel": _by_model(answers, plot.paid)}


def _by_model(answers: list[Answer], paid: bool) -> list[dict[str, Any]] | None:
    found = by_model((each.model, _used(each), 1) for each in sorted(answers, key=lambda each: each.at))
    for row in found or ():
        costs = [each.cost for each in answers if each.model == row["model"]]
        row["cost"] = sum(costs) if paid else None
    return found


def _used(answer: Answer) -> Used:
    return Used(
        input=answer.input,
        output=answer.output + answer.reasoning,
        cache_reads=answer.reads,
        cache_writes=answer.writes,
    )


def summed(parts: list[dict[str, Any]]) -> dict[str, Any]:
    """Add figures; the cost is unknown if one is."""
    names = ("input", "output", "cacheReads", "cacheWrites", "total")
    costs = [part["cost"] for part in parts]
    total = None if None in costs else sum(costs)
    return {**{name: sum(part[name] for part in parts) for name in names}, "cost": total}
