// The search finds whatever the page shows of a conversation, and marks each match where it is shown.
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { ToWebview } from "../../../src/panel/messages.js";
import type { AsyncTask, TaskEvent, TouchedFile } from "../../../src/protocol.js";
import { SEPARATOR } from "../../../webview/model/find/occurrences.js";
import { textsOf } from "../../../webview/model/find/texts.js";
import { EMPTY_STREAM, receive } from "../../../webview/model/conversation/stream.js";
import { Page } from "../../../webview/page/page.js";
import { shownText } from "../../../webview/page/reading/shownText.js";
import { message, numbered, task } from "../samples.js";
import { arrange } from "./layout.js";

beforeEach(() => {
  vi.useFakeTimers();
  document.body.innerHTML = `<div id="app"></div><div id="announcements"></div>`;
  document.body.dataset["place"] = "editor";
});
afterEach(() => {
  delete document.body.dataset["place"];
  vi.useRealTimers();
});

const OPTIONS = [
  { optionId: "yes", name: "Allow", kind: "allow_once" },
  { optionId: "always", name: "Always", kind: "allow_always", scope: "`npm test`" },
];
const FILES: TouchedFile[] = [
  { path: "/w/src/orchard.py", actions: ["edited"], additions: 3, deletions: 1 },
];
const FORM = {
  type: "object" as const,
  description: "About the cider",
  required: ["kind"],
  properties: {
    kind: {
      type: "string" as const,
      title: "Kind of cider",
      description: "dry or sweet",
      oneOf: [
        { const: "d", title: "Dry cider", description: "without sugar" },
        { const: "s", title: "Sweet cider" },
      ],
    },
    sparkling: { type: "boolean" as const, title: "Sparkling?" },
    bottles: { type: "integer" as const, minimum: 1, maximum: 9, title: "Bottles" },
  },
};

/** A run with every kind of item, whose questions are answered or not. */
function events(isAnswered: boolean): TaskEvent[] {
  const answer = { optionId: "always", kind: "allow_always", by: "user" };
  return numbered([
    { type: "plan", entries: [{ content: "Pick the pears", status: "pending" }] },
    message("m1", "# Orchard\n\n- **ripe** [pears](https://example.com/p)\n\n```py\npick()\n```"),
    message(
      "m2",
      "See a/tree.py:3, [the tree](a/tree.py#L4) or `a/tree.py` and ![it](a/tree.png).",
    ),
    { type: "message", messageId: "u", role: "user", text: "And the quinces?" },
    { type: "thought", messageId: "t", text: "Quinces ripen late." },
    {
      type: "tool",
      toolCallId: "c1",
      name: "edit",
      status: "started",
      input: { command: "prune --all" },
      locations: [{ path: "/w/src/pruning.py", line: 12 }, { path: "/elsewhere/tools.txt" }],
      content: [
        { type: "diff", path: "/w/src/orchard.py", oldText: "a\nb\n", newText: "a\nc\n" },
        { type: "text", text: "pruned 7 trees" },
      ],
    },
    {
      type: "permission",
      state: "asked",
      requestId: "r1",
      toolCallId: "c1",
      title: "Prune the trees",
      toolKind: "execute",
      command: "prune --all",
      cwd: "/w/orchard",
      options: OPTIONS,
    },
    ...(isAnswered
      ? [{ type: "permission", state: "answered", requestId: "r1", ...answer } as const]
      : []),
    {
      type: "permission",
      state: "asked",
      requestId: "r2",
      title: "Open the gate",
      url: "https://example.com/gate",
      options: OPTIONS,
    },
    ...(isAnswered
      ? [{ type: "permission", state: "answered", requestId: "r2", ...answer } as const]
      : []),
    {
      type: "question",
      state: "asked",
      requestId: "q1",
      title: "Cider?",
      message: "Which cider?",
      schema: FORM,
    },
    ...(isAnswered
      ? [
          {
            type: "question",
            state: "answered",
            requestId: "q1",
            title: "Cider?",
            action: "accept",
            content: { kind: "s", sparkling: true, bottles: 4 },
          } as const,
        ]
      : []),
    { type: "question", state: "asked", requestId: "q2", title: "Sign here", url: "https://e.org" },
    { type: "emit", name: "harvest", value: { kilos: 41 } },
    { type: "log", text: "warning: ladder is short\n" },
  ] as unknown as Parameters<typeof numbered>[0]);
}

function opened(run: AsyncTask, all: TaskEvent[], files: TouchedFile[] = []): Page {
  arrange(4_000, { "li[data-at]": 20, ".goal": 20 });
  const host = { postMessage: vi.fn(), getState: () => undefined, setState: vi.fn() };
  const page = new Page(host, document);
  page.start();
  const sent: ToWebview[] = [
    { type: "open", taskId: "t1" },
    { type: "task", task: run },
    { type: "events", taskId: "t1", events: all },
    { type: "files", taskId: "t1", files },
  ];
  sent.forEach((each) => {
    page.send(each);
  });
  vi.advanceTimersByTime(400);
  return page;
}

/** What the page shows, by parts that have some text. */
function shown() {
  const parts = document.querySelectorAll<HTMLElement>("[data-item], [data-part]");
  const known = [...parts].map((part) => {
    const { item, part: name = "" } = part.dataset;
    return [item ?? name, pieces(shownText(part).text)] as const;
  });
  return Object.fromEntries(known.filter(([, some]) => some.length > 0));
}

/** What the search knows, by the same parts. */
function searched(run: AsyncTask, all: TaskEvent[], files: TouchedFile[] = []) {
  const stream = receive(EMPTY_STREAM, { events: all }, true);
  const texts = textsOf({ task: run, files, stream }, stream.conversation);
  const known = texts.map(({ key, text }) => [key, pieces(text)] as const);
  return Object.fromEntries(known.filter(([, some]) => some.length > 0));
}

function pieces(text: string): string[] {
  return text
    .split(SEPARATOR)
    .map((piece) => piece.replace(/\s+/gu, " ").trim())
    .filter((piece) => piece !== "");
}

test("while a run asks, all that it shows is searched, as it is shown", () => {
  const run = task({ goalPrompt: "Keep the orchard", attachments: ["map.png"] });
  opened(run, events(false));
  expect(shown()).toEqual(searched(run, events(false)));
  const all = Object.values(shown()).flat().join("\n");
  for (const words of ["Pick the pears", "map.png", "src/pruning.py:12", "/elsewhere/tools.txt"]) {
    expect(all).toContain(words);
  }
  expect(all).toContain("src/orchard.py");
  expect(all).toContain("Sweet cider");
  expect(all).not.toContain("Allow `npm test`");
});

test("answers, variables, error output and the end of a run are searched, as they are shown", () => {
  const error = ["first line", "second", "third", "fourth", "the ladder broke"].join("\n");
  const run = task({ status: "failed", endReason: "error", error, completedAt: 9_000 });
  opened(run, events(true), FILES);
  expect(shown()).toEqual(searched(run, events(true), FILES));
  const all = Object.values(shown()).flat().join("\n");
  for (const words of ["Sweet cider", "npm test", "harvest", '"kilos": 41', "ladder is short"]) {
    expect(all).toContain(words);
  }
  expect(all).toContain("the ladder broke");
  expect(all).toContain("src/orchard.py");
});

test("the result of a run, and what it did not report, are searched as they are shown", () => {
  const run = task({
    status: "completed",
    completedAt: 9_000,
    output: { final_message: "**Forty** kilos", emitted_vars: {} },
    partial: { touchedFiles: ["/w/src/barn.py"] },
  } as Partial<AsyncTask>);
  const all = events(true);
  opened(run, all);
  expect(shown()).toEqual(searched(run, all));
  expect(shown()["end"]).toEqual(expect.arrayContaining(["Forty kilos", "src/barn.py"]));
});

test("a path of a changed file is marked as a whole, though it shows its name first", async () => {
  const run = task({ status: "completed", completedAt: 9_000 });
  const page = opened(run, events(true), FILES);
  page.send({ type: "find" });
  page.send({ type: "read", taskId: "t1", seq: 0, events: events(true) });
  page.send({ type: "findText", text: "src/orchard.py" });
  page.send({ type: "read", taskId: "t1", seq: 0, events: events(true) });
  await vi.advanceTimersByTimeAsync(400);
  const marks = [...((CSS.highlights.get("find") ?? []) as Iterable<Range>)];
  const current = [...((CSS.highlights.get("find-current") ?? []) as Iterable<Range>)];
  const texts = [...marks, ...current].map((range) => range.toString().replace(/\s+/gu, " "));
  expect(texts.filter((text) => text.includes("orchard.py"))).toHaveLength(2);
});
