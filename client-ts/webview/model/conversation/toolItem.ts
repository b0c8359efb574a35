import { OUTPUT_CHARS } from "../../../src/panel/events/eventSize.js";
import { cutMiddle } from "../../../src/text/cutting.js";
import type { ToolContent, ToolEvent } from "../../../src/protocol.js";
import { diffOf, type FileDiff } from "./diff.js";
import { valueText } from "../../text/format.js";
import type { ToolDiff, ToolItem } from "./items.js";

const MAX_INPUT_CHARS = 8_000;
/** An output that was cut already, and is longer by the mark, is not cut again. */
const MAX_OUTPUT_CHARS = OUTPUT_CHARS + 100;
/** At most this many diffs of one call are shown. */
const MAX_DIFFS = 20;

/** Members of a call's input that describe it on their own, the clearest first. */
const DESCRIPTIVE = [
  ...["command", "cmd", "pattern", "query", "url"],
  ...["path", "file_path", "filePath", "absolute_path", "description", "prompt"],
];

/** Return the item of a call that begins with this event. */
export function beginTool(event: ToolEvent): ToolItem {
  const { name, status, seq, ts } = event;
  const ended = status === "started" ? {} : { endedAt: ts };
  return updated({ kind: "tool", seq, name, status, ts, ...ended }, event);
}

/** Add a later event of a call: its members replace earlier ones. */
export function continueTool(item: ToolItem, event: ToolEvent): ToolItem {
  const { name, status, ts } = event;
  const ended = status === "started" ? {} : { status, endedAt: ts };
  // The end of a call keeps the name with which it began.
  return updated({ ...item, ...(status === "started" ? { name } : {}), ...ended }, event);
}

function updated(item: ToolItem, event: ToolEvent): ToolItem {
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
    // A call that ends with text only still made its change.
    ...(diffs.length === 0 ? {} : { diffs }),
  };
}

function subjectOf(input: unknown): string | undefined {
  if (typeof input !== "object" || input === null) {
    return typeof input === "string" && input !== "" ? input : undefined;
  }
  const members = input as Partial<Record<string, unknown>>;
  const described = DESCRIPTIVE.map((key) => members[key]).find(isDescriptive);
  return described === undefined ? undefined : [described].flat().join(" ");
}

function isDescriptive(value: unknown): value is string | string[] {
  return [value].flat().every((part) => typeof part === "string" && part !== "");
}

/** Return the texts of the content of a call, else its output. */
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

/** Diffs outlive their items, which are rebuilt when earlier events arrive. */
const known = new WeakMap<ToolContent, FileDiff>();

function diffPart(part: ToolContent, seq: number, index: number): ToolDiff | undefined {
  const { type, path, oldText = "", newText = "" } = part;
  if (type !== "diff" || path === undefined) {
    return undefined;
  }
  const diff = known.get(part) ?? diffOf(oldText, newText);
  known.set(part, diff);
  return { path, seq, index, ...diff };
}
