import type { StoredMessage, TaskInfo } from "../protocol.js";
import { duration, localTime } from "../l10n/format.js";
import { capitalized, oneLine, storedStatus } from "./words.js";
import * as strings from "./strings.js";

const TITLE_CHARS = 200;
/** As long as a path may be. */
const FACT_CHARS = 4_096;

/** A message of a stored task: its index in one of the two message files. */
export interface MessagePlace {
  readonly kind: "ui" | "api";
  readonly index: number;
}

/** A stored task as a document, and the first line (from 0) of each message by its index. */
export interface TranscriptText {
  readonly text: string;
  readonly lines: ReadonlyMap<number, number>;
}

/** Write a stored task as a document; `left` messages at its end are not included. */
export function transcriptText(
  task: TaskInfo,
  messages: readonly StoredMessage[],
  left: number,
): TranscriptText {
  const parts = [`# ${oneLine(task.title, TITLE_CHARS) || strings.common.untitled}`, head(task)];
  const lines = new Map<number, number>();
  let line = lineCount(parts);
  for (const message of messages) {
    const part = messageText(message);
    lines.set(message.index, line);
    line += lineCount([part]);
    parts.push(part);
  }
  if (left > 0) {
    parts.push(strings.history.tooLong(left));
  }
  return { text: `${parts.join("\n\n")}\n`, lines };
}

/** Count the lines of parts, each followed by an empty line, as an editor breaks them. */
function lineCount(parts: readonly string[]): number {
  return parts.reduce((sum, part) => sum + part.split(/\r\n|\r|\n/u).length + 1, 0);
}

function head(task: TaskInfo): string {
  const facts: (readonly [string, string | null | undefined])[] = [
    [strings.facts.status, storedStatus(task)],
    [strings.facts.mode, task.mode.name ?? task.mode.current],
    [strings.facts.model, task.model],
    [strings.facts.created, task.createdAt == null ? undefined : localTime(task.createdAt)],
    [strings.facts.duration, task.duration == null ? undefined : duration(task.duration)],
    [strings.facts.folder, task.workspaceDir],
    [strings.facts.product, task.product],
    [strings.facts.id, task.id],
  ];
  return facts
    .filter(([, value]) => value != null && value !== "")
    .map(([name, value]) => `- ${name}: ${oneLine(value ?? "", FACT_CHARS)}`)
    .join("\n");
}

/** Whether a request record has no usage and only tells why the run stopped. */
function isEnd(kind: string, text: string | undefined): boolean {
  return kind === "request" && text !== undefined && !/\d/u.test(text);
}

function messageText({ role, kind, ts, text, tool }: StoredMessage): string {
  const called = tool?.name === undefined ? undefined : `tool ${tool.name}`;
  const named =
    kind === "text" || isEnd(kind, text) ? undefined : (strings.history.kinds[kind] ?? kind);
  const time = ts == null ? undefined : localTime(ts);
  const parts = [
    capitalized(strings.history.roles[role] ?? role),
    called ?? named,
    tool?.status,
    time,
  ];
  const heading = `## ${oneLine(parts.filter((part) => part !== undefined).join(" · "), FACT_CHARS)}`;
  return text === undefined || text === "" ? heading : `${heading}\n\n${escaped(text.trimEnd())}`;
}

/** Escape headings of the level that separates messages, in both spellings. */
function escaped(text: string): string {
  const parts = text.split(/(\r\n|\r|\n)/u);
  const isUnderline = (part: string, at: number): boolean =>
    /^[ \t]*-+[ \t]*$/u.test(part) && (parts[at - 2] ?? "").trim() !== "";
  return parts
    .map((part, at) =>
      /^[ \t]*##(?!#)/u.test(part) || isUnderline(part, at) ? part.replace(/[#-]/u, "\\$&") : part,
    )
    .join("");
}
