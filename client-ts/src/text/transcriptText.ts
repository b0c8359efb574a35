import type { StoredMessage, TaskInfo } from "../protocol.js";
import { localTime, oneLine, span, storedStatus } from "./words.js";

const TITLE_CHARS = 200;
/** As long as a path may be. */
const FACT_CHARS = 4_096;

/** Which message of a stored task: its place in one of the two message files. */
export interface MessagePlace {
  readonly kind: "ui" | "api";
  readonly index: number;
}

/** A stored task as a document, and the line (from 0) that each message begins at, by its index. */
export interface TranscriptText {
  readonly text: string;
  readonly lines: ReadonlyMap<number, number>;
}

/** Write a stored task as a document to read; `left` messages at its end are not in it. */
export function transcriptText(
  task: TaskInfo,
  messages: readonly StoredMessage[],
  left: number,
): TranscriptText {
  const parts = [`# ${oneLine(task.title, TITLE_CHARS) || "(untitled)"}`, head(task)];
  const lines = new Map<number, number>();
  let line = lineCount(parts);
  for (const message of messages) {
    const part = messageText(message);
    lines.set(message.index, line);
    line += lineCount([part]);
    parts.push(part);
  }
  if (left > 0) {
    parts.push(`… and ${left.toLocaleString()} more messages: too long to show as one document.`);
  }
  return { text: `${parts.join("\n\n")}\n`, lines };
}

/** How many lines parts take, each with the empty line behind it; an editor breaks at each of these. */
function lineCount(parts: readonly string[]): number {
  return parts.reduce((sum, part) => sum + part.split(/\r\n|\r|\n/u).length + 1, 0);
}

function head(task: TaskInfo): string {
  const facts: (readonly [string, string | null | undefined])[] = [
    ["Status", storedStatus(task)],
    ["Mode", task.mode.name ?? task.mode.current],
    ["Model", task.model],
    ["Created", task.createdAt == null ? undefined : localTime(task.createdAt)],
    ["Time", task.duration == null ? undefined : span(task.duration)],
    ["Folder", task.workspaceDir],
    ["Product", task.product],
    ["Id", task.id],
  ];
  return facts
    .filter(([, value]) => value != null && value !== "")
    .map(([name, value]) => `- ${name}: ${oneLine(value ?? "", FACT_CHARS)}`)
    .join("\n");
}

/** Kinds of messages whose own names say little to a reader. */
const WORDS: Partial<Record<string, string>> = {
  request: "usage",
  completion: "result",
  command_output: "output of the command",
  tool_result: "result of the tool",
  "ask:completion_result": "handed over",
  "ask:api_req_failed": "failed",
};

/** Whether a record of a request has no figures, and only says why the run stopped. */
function isEnd(kind: string, text: string | undefined): boolean {
  return kind === "request" && text !== undefined && !/\d/u.test(text);
}

function messageText({ role, kind, ts, text, tool }: StoredMessage): string {
  const called = tool?.name === undefined ? undefined : `tool ${tool.name}`;
  const said = kind === "text" || isEnd(kind, text) ? undefined : (WORDS[kind] ?? kind);
  const time = ts == null ? undefined : localTime(ts);
  const parts = [capitalised(role), called ?? said, tool?.status, time];
  const heading = `## ${oneLine(parts.filter((part) => part !== undefined).join(" · "), FACT_CHARS)}`;
  return text === undefined || text === "" ? heading : `${heading}\n\n${quoted(text.trimEnd())}`;
}

/** Return a message's text with headings of the level that parts messages escaped, in both spellings. */
function quoted(text: string): string {
  const parts = text.split(/(\r\n|\r|\n)/u);
  const isUnderline = (part: string, at: number): boolean =>
    /^[ \t]*-+[ \t]*$/u.test(part) && (parts[at - 2] ?? "").trim() !== "";
  return parts
    .map((part, at) =>
      /^[ \t]*##(?!#)/u.test(part) || isUnderline(part, at) ? part.replace(/[#-]/u, "\\$&") : part,
    )
    .join("");
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
