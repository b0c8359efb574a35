import * as strings from "../text/strings.js";
import type { FileEdit, StoredMessage, TaskEvent, ToolContent } from "../protocol.js";
import { oneLine } from "../text/words.js";
import { NOTED_ERROR } from "./notedError.js";

/** Messages that only a program needs: usage is counted elsewhere, and checkpoints have no text. */
const UNSHOWN: ReadonlySet<string> = new Set(["request", "checkpoint"]);
/** The text of a call that names what it does is its first line, in characters. */
const TITLE_CHARS = 160;
/** Tools that run a command line, which may do more than the changes that it contains. */
const SHELL = /shell|exec|bash|command/iu;

type Bare<E> = E extends unknown ? Omit<E, "seq" | "ts"> : never;

/** Return the events of a stored task as a conversation shows those of a run, numbered from `first`. */
export function eventsOf(
  messages: readonly StoredMessage[],
  first: number,
  goal: string,
): TaskEvent[] {
  const events: TaskEvent[] = [];
  let time = 0;
  for (const message of messages) {
    time = message.ts ?? time;
    const event = isGoal(message, goal) ? undefined : eventOf(message);
    if (event !== undefined) {
      events.push({ ...event, seq: first + events.length, ts: time });
    }
  }
  return events;
}

/** The conversation shows the goal at its head. */
function isGoal({ index, role, text = "" }: StoredMessage, goal: string): boolean {
  return index === 0 && role === "user" && text.replace(/\s+/gu, " ").trim() === goal;
}

function eventOf(message: StoredMessage): Bare<TaskEvent> | undefined {
  const { index, role, kind, text = "", tool } = message;
  if (UNSHOWN.has(kind) || (text === "" && tool === undefined)) {
    return undefined;
  }
  if (tool !== undefined || kind === "tool_result") {
    return callOf(message);
  }
  const messageId = `m${index}`;
  if (kind === "reasoning") {
    return { type: "thought", messageId, text };
  }
  if (role === "user") {
    return { type: "message", messageId, role: "user", text };
  }
  if (role === "assistant") {
    return { type: "message", messageId, text };
  }
  return kind === "error"
    ? errorOf(messageId, text)
    : callOf({ ...message, tool: { name: kind, status: "completed" } });
}

/** An error is a call that failed, so that the minimap and jumps find it. */
function errorOf(toolCallId: string, text: string): Bare<TaskEvent> {
  const title = oneLine(text, TITLE_CHARS);
  return { type: "tool", toolCallId, name: NOTED_ERROR, title, status: "failed", output: text };
}

/** A call without an id ends at once: nothing could be matched to it later. */
function callOf({ index, text = "", tool = {}, kind }: StoredMessage): Bare<TaskEvent> {
  const { name = kind, id, status, edits = [] } = tool;
  const toolCallId = id ?? `m${index}`;
  const isResult = status !== undefined || kind === "tool_result";
  const ended = status === "failed" || status === "error" ? "failed" : "completed";
  const [line = ""] = text.trim().split("\n", 1);
  const named = line !== "" && line.length <= TITLE_CHARS && !/^(?:[[{]|\*{3} )/u.test(line);
  const title = deletedWords(name, edits) ?? (named ? line : undefined);
  const changed = edits.filter(({ deleted }) => deleted !== true);
  return isResult
    ? { type: "tool", toolCallId, name, status: ended, output: text }
    : {
        ...{ type: "tool", toolCallId, name, status: id === undefined ? "completed" : "started" },
        ...(title === undefined || title === text.trim() ? {} : { title }),
        ...(changed.length === 0 || SHELL.test(name) ? { input: withoutName(text, name) } : {}),
        ...(changed.length === 0 ? {} : { content: changed.map(contentOf) }),
      };
}

/** Name the files that a call deleted, of which it has no text to show. */
function deletedWords(name: string, edits: readonly FileEdit[]): string | undefined {
  const paths = edits.flatMap(({ path, deleted }) => (deleted === true ? [path] : []));
  return paths.length === 0
    ? undefined
    : `${name} · ${strings.runs.deletedFiles(paths.join(", "))}`;
}

/** The text of a call may begin with its name, which is shown before it. */
function withoutName(text: string, name: string): string {
  return text.startsWith(`${name} `) ? text.slice(name.length + 1) : text;
}

function contentOf({ path, oldText, newText }: FileEdit): ToolContent {
  return { type: "diff", path, newText, ...(oldText === undefined ? {} : { oldText }) };
}
