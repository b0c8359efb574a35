import type { StoredMessage, TaskInfo } from "./protocol.js";
import { localTime, oneLine, span, storedStatus } from "./words.js";

const TITLE_CHARS = 200;

/** Write a stored task as a document to read; `left` messages at its end are not in it. */
export function transcriptText(
  task: TaskInfo,
  messages: readonly StoredMessage[],
  left: number,
): string {
  const parts = [`# ${oneLine(task.title, TITLE_CHARS) || "(untitled)"}`, head(task)];
  for (const message of messages) {
    parts.push(messageText(message));
  }
  if (left > 0) {
    parts.push(`… and ${left.toLocaleString()} more messages: too long to show as one document.`);
  }
  return `${parts.join("\n\n")}\n`;
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
    .map(([name, value]) => `- ${name}: ${value ?? ""}`)
    .join("\n");
}

function messageText({ role, kind, ts, text, tool }: StoredMessage): string {
  const called = tool?.name === undefined ? undefined : `tool ${tool.name}`;
  const said = kind === "text" ? undefined : kind;
  const time = ts == null ? undefined : localTime(ts);
  const parts = [capitalised(role), called ?? said, tool?.status, time];
  const heading = `## ${parts.filter((part) => part !== undefined).join(" · ")}`;
  return text === undefined || text === "" ? heading : `${heading}\n\n${text.trimEnd()}`;
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
