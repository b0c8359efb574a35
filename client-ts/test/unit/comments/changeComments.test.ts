// Comments on changes: they are kept until they are sent, and reach the agent with file, lines and code.
import { beforeEach, expect, test } from "vitest";
import type * as vscode from "vscode";

import { ChangeComments } from "../../../src/comments/changeComments.js";
import { commentingCommands } from "../../../src/commands/commenting.js";
import * as fake from "../../vscode.js";
import { FakeMemento } from "../memory.js";

const TEXT = "first\nsecond\nthird\nfourth";

beforeEach(() => {
  fake.threads.clear();
  fake.shown.messages = [];
  fake.window.activeTextEditor = undefined;
});

/** The text of a change of a file, as the editor names it. */
function uriOf(taskId: string, path: string, side = "after"): fake.Uri {
  const query = JSON.stringify({ taskId, seq: 4, index: 0, side });
  return fake.Uri.from({ scheme: "subagent-diff", path: `/w/${path}`, query });
}

/** What a reader does, and what reaches the agents. */
class Reader {
  /** What all changed files contain now. */
  text = TEXT;
  readonly written: [string, string][] = [];
  /** What was written into the goal for another agent. */
  readonly goals: string[] = [];
  /** Runs that were deleted. */
  readonly gone = new Set<string>();
  /** Runs of which the sidecar tells nothing. */
  readonly unknown = new Set<string>();
  readonly comments: ChangeComments;
  readonly #commands: ReturnType<typeof commentingCommands>;

  constructor(memory = new FakeMemento()) {
    const at = ({ path, query }: vscode.Uri) => {
      const { side, taskId } = JSON.parse(query) as { side: "before" | "after"; taskId: string };
      const text = this.gone.has(taskId) ? undefined : this.text;
      return this.unknown.has(taskId)
        ? Promise.reject(new Error("The sidecar is not running."))
        : Promise.resolve({ path: path.replace("/w/", ""), side, text });
    };
    const isGone = (taskId: string) => Promise.resolve(this.gone.has(taskId));
    this.comments = new ChangeComments({ at, isGone }, memory);
    this.#commands = commentingCommands({
      comments: this.comments,
      panel: {
        addToMessage: (taskId, text) => {
          this.written.push([taskId, text]);
          return Promise.resolve();
        },
        addToGoal: (text) => {
          this.goals.push(text);
          return Promise.resolve();
        },
      },
    });
  }

  /** Write a comment at lines from 0, in a new thread as the editor makes it. */
  async write(uri: fake.Uri, first: number, last: number, text: string) {
    const range = new fake.Range(first, 0, last, 0);
    const thread: fake.CommentThread = {
      ...{ uri, range, comments: [] },
      dispose: () => fake.threads.delete(thread),
    };
    fake.threads.add(thread);
    await this.run("add", { thread, text });
    return thread;
  }

  run(name: "add" | "edit" | "save" | "cancel" | "remove" | "send", target?: unknown) {
    return Promise.resolve(this.#commands[`subagentSidecar.comment.${name}`](target));
  }
}

test("comments become a message with their files, lines and code, in order", async () => {
  const reader = new Reader();
  await reader.write(uriOf("t1", "b.py"), 2, 2, "Rename this.");
  await reader.write(uriOf("t1", "a.py", "before"), 1, 2, "Keep these.");
  const thread = await reader.write(uriOf("t1", "a.py"), 0, 0, "Why?");
  await reader.run("add", { thread, text: "And how?" });
  await reader.run("send", thread);
  expect(reader.written).toEqual([
    [
      "t1",
      [
        "Comments on your changes:",
        "`a.py`, line 1:\n> first\n\nWhy?\n\nAnd how?",
        "`a.py`, lines 2-3 before the change:\n> second\n> third\n\nKeep these.",
        "`b.py`, line 3:\n> third\n\nRename this.",
      ].join("\n\n"),
    ],
  ]);
  expect(fake.threads.size).toBe(0);
});

test("what is typed when one sends is sent too", async () => {
  const reader = new Reader();
  const thread = await reader.write(uriOf("t1", "a.py"), 0, 0, "One.");
  await reader.run("send", { thread, text: "Two." });
  expect(reader.written[0]?.[1]).toContain("One.\n\nTwo.");
});

test("while a comment is edited, it is not sent without what was typed", async () => {
  const reader = new Reader();
  const thread = await reader.write(uriOf("t1", "a.py"), 0, 0, "One.");
  const [comment] = thread.comments;
  await reader.run("edit", comment);
  await reader.run("send", thread);
  expect([reader.written, fake.threads.size]).toEqual([[], 1]);
  expect(fake.shown.messages[0]).toContain("still being edited");
  await reader.run("save", Object.assign(thread.comments[0] as object, { body: "Two." }));
  await reader.run("send", thread);
  expect(reader.written[0]?.[1]).toContain("Two.");
});

test("an editor sends the comments of its run, the palette those of all runs", async () => {
  const reader = new Reader();
  await reader.write(uriOf("t1", "a.py"), 0, 0, "One.");
  await reader.write(uriOf("t2", "a.py"), 0, 0, "Two.");
  await reader.write(uriOf("t3", "a.py"), 0, 0, "Three.");
  await reader.run("send", uriOf("t2", "a.py"));
  expect(reader.written.map(([taskId]) => taskId)).toEqual(["t2"]);
  await reader.run("send");
  expect(reader.written.map(([taskId]) => taskId)).toEqual(["t2", "t1", "t3"]);
});

test("comments that were not sent are there again after a reload", async () => {
  const memory = new FakeMemento();
  await new Reader(memory).write(uriOf("t1", "a.py"), 1, 1, "Later.");
  fake.threads.clear();
  const reader = new Reader(memory);
  expect([...fake.threads].map(({ uri }) => uri.path)).toEqual(["/w/a.py"]);
  await reader.run("send");
  expect(reader.written[0]?.[1]).toContain("`a.py`, line 2:\n> second\n\nLater.");
  expect(new Reader(memory).comments.taskIds).toEqual([]);
});

test("a comment can be changed, or not, and removed", async () => {
  const reader = new Reader();
  const thread = await reader.write(uriOf("t1", "a.py"), 0, 0, "Draft.");
  const [comment] = thread.comments as { body: string; mode: fake.CommentMode }[];
  if (comment === undefined) {
    throw new Error("There is no comment.");
  }
  await reader.run("edit", comment);
  expect(comment.mode).toBe(fake.CommentMode.Editing);
  comment.body = "Other.";
  await reader.run("cancel", comment);
  expect(comment).toMatchObject({ body: "Draft.", mode: fake.CommentMode.Preview });
  comment.body = "Final.";
  await reader.run("save", comment);
  expect(await reader.comments.messageTo("t1")).toContain("Final.");
  await reader.run("remove", comment);
  expect([fake.threads.size, reader.comments.taskIds]).toEqual([0, []]);
});

test("without a comment, it says where to write one, and an empty one is none", async () => {
  const reader = new Reader();
  await reader.write(uriOf("t1", "a.py"), 0, 0, "  ");
  await reader.run("send");
  expect(reader.written).toEqual([]);
  expect(fake.shown.messages).toHaveLength(1);
});

test("comments on a deleted run go into the goal, with place and words, and stop no others", async () => {
  const reader = new Reader();
  await reader.write(uriOf("t1", "a.py"), 0, 1, "One.");
  await reader.write(uriOf("t2", "b.py"), 0, 0, "Two.");
  reader.gone.add("t1");
  await reader.run("send");
  expect(reader.goals).toEqual([
    "Comments on your changes:\n\n`a.py`, lines 1-2:\n> first\n> second\n\nOne.",
  ]);
  expect(reader.written.map(([taskId]) => taskId)).toEqual(["t2"]);
  expect(fake.shown.messages).toHaveLength(1);
  expect([fake.threads.size, reader.comments.taskIds]).toEqual([0, []]);
});

test("comments that cannot be sent stay, and the others are sent", async () => {
  const reader = new Reader();
  await reader.write(uriOf("t1", "a.py"), 0, 0, "One.");
  await reader.write(uriOf("t2", "b.py"), 0, 0, "Two.");
  reader.unknown.add("t1");
  await reader.run("send");
  expect(fake.shown.messages).toEqual(["The sidecar is not running."]);
  expect(reader.written.map(([taskId]) => taskId)).toEqual(["t2"]);
  expect(reader.comments.taskIds).toEqual(["t1"]);
});

test("the deletion of a run removes its comments, and a window that forgets an old run keeps them", async () => {
  const memory = new FakeMemento();
  const reader = new Reader(memory);
  await reader.write(uriOf("t1", "a.py"), 0, 0, "One.");
  await reader.write(uriOf("t2", "b.py"), 0, 0, "Two.");
  reader.gone.add("t1");
  await reader.comments.prune(["t1", "t2", "t3"]);
  expect(reader.comments.taskIds).toEqual(["t2"]);
  expect(new Reader(memory).comments.taskIds).toEqual(["t2"]);
});

test("comments stay at their lines while the agent changes the file again", async () => {
  const reader = new Reader();
  const thread = await reader.write(uriOf("t1", "a.py"), 1, 2, "Keep these.");
  const other = await reader.write(uriOf("t1", "a.py"), 3, 3, "Rename this.");
  reader.text = "new\nfirst\nsecond\nthird\n4th";
  fake.edited.fire({ document: new fake.Document(uriOf("t1", "a.py"), reader.text) });
  expect([thread.range.start.line, thread.range.end.line, other.range.start.line]).toEqual([
    2, 3, 3,
  ]);
  await reader.run("send");
  expect(reader.written[0]?.[1]).toContain("lines 3-4:\n> second\n> third\n\nKeep these.");
  expect(reader.written[0]?.[1]).toContain("line 4:\n> fourth\n\nRename this.");
});

test("comments find their lines after a reload in which the agent changed the file", async () => {
  const memory = new FakeMemento();
  await new Reader(memory).write(uriOf("t1", "a.py"), 1, 1, "Later.");
  const reader = new Reader(memory);
  reader.text = `0\n${TEXT}`;
  await reader.run("send");
  expect(reader.written[0]?.[1]).toContain("`a.py`, line 3:\n> second\n\nLater.");
});
