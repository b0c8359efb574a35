import { cutMiddle } from "../../src/text/cutting.js";
import type { ToolContent, ToolEvent } from "../../src/protocol.js";
import { diffOf } from "./diff.js";
import { valueText } from "./format.js";
import type { ToolDiff, ToolItem } from "./items.js";

const MAX_INPUT_CHARS = 8_000;
const MAX_OUTPUT_CHARS = 20_000;
/** More diffs than this in one call are counted by its touched files only. */
const MAX_DIFFS = 20;

/** Members of a call's input that say by themselves what it is about, the plainest first. */
const TELLING = [
  ...["command", "cmd", "pattern", "query", "url"],
  ...["path", "file_path", "filePath", "absolute_path", "description", "prompt"],
];

/** The item of a call that begins with this event. */
export function beginTool(event: ToolEvent): ToolItem {
  const { name, status, seq, ts } = event;
  const ended = status === "started" ? {} : { endedAt: ts };
  return withNews({ kind: "tool", seq, name, status, ts, ...ended }, event);
}

/** Add what a later event tells of a call: its members replace earlier ones. */
export function continueTool(item: ToolItem, event: ToolEvent): ToolItem {
  const { name, status, ts } = event;
  const ended = status === "started" ? {} : { status, endedAt: ts };
  // Its end is told by the name that it began with, in whatever way that was found.
  return withNews({ ...item, ...(status === "started" ? { name } : {}), ...ended }, event);
}

function withNews(item: ToolItem, event: ToolEvent): ToolItem {
  const { title, input, locations } = event;
  const output = outputOf(event);
  const diffs = diffsOf(event);
  const subject = subjectOf(input);
  return {
    ...item,
    ...(title === undefined ? {} : { title }),
    ...(input == null ? {} : { input: cutMiddle(valueText(input, Infinity), MAX_INPUT_CHARS) }),
    ...(subject === undefined ? {} : { subject: cutMiddle(subject, MAX_INPUT_CHARS) }),
    ...(output === undefined ? {} : { output }),
    ...(locations === undefined ? {} : { places: locations }),
    // A call that ends with words on its change has made it all the same.
    ...(diffs.length === 0 ? {} : { diffs }),
  };
}

function subjectOf(input: unknown): string | undefined {
  if (typeof input !== "object" || input === null) {
    return typeof input === "string" && input !== "" ? input : undefined;
  }
  const members = input as Partial<Record<string, unknown>>;
  const telling = TELLING.map((key) => members[key]).find(isTelling);
  return telling === undefined ? undefined : [telling].flat().join(" ");
}

function isTelling(value: unknown): value is string | string[] {
  return [value].flat().every((part) => typeof part === "string" && part !== "");
}

/** What a call shows of its result: the texts of its content, else its output as it is. */
function outputOf({ content, output }: ToolEvent): string | undefined {
  const texts = (content ?? []).flatMap(({ text }) => text ?? []);
  const text = texts.length > 0 ? texts.join("\n") : (output ?? undefined);
  return text === undefined ? undefined : cutMiddle(valueText(text, Infinity), MAX_OUTPUT_CHARS);
}

function diffsOf({ content, seq }: ToolEvent): ToolDiff[] {
  return (content ?? [])
    .map((part, index) => diffPart(part, seq, index))
    .filter((diff) => diff !== undefined)
    .slice(0, MAX_DIFFS);
}

function diffPart(part: ToolContent, seq: number, index: number): ToolDiff | undefined {
  const { type, path, oldText = "", newText = "" } = part;
  return type === "diff" && path !== undefined
    ? { path, seq, index, ...diffOf(oldText, newText) }
    : undefined;
}
