import { cutMiddle } from "../../text/cutting.js";
import type { TaskEvent } from "../../protocol.js";

/** How much of one text the page receives, in characters; the transcript has all of it. */
export const TEXT_CHARS = 60_000;
/** How much of the output of a call it receives, in characters: a folded call takes one line. */
export const OUTPUT_CHARS = 20_000;

/** How much of a variable it receives, in characters: many are shown at once. */
const NAME_CHARS = 200;
const VALUE_CHARS = 1_000;

/** How much of older events the page receives at once, in characters, unless a single event is longer. */
export const PAGE_CHARS = 120_000;

/** Return the size of an event, in characters of its texts. */
export function sizeOf(value: unknown): number {
  if (typeof value === "string") {
    return value.length;
  }
  if (typeof value !== "object" || value === null) {
    return 8;
  }
  return Object.values(value).reduce((sum: number, each) => sum + sizeOf(each) + 8, 0);
}

/** Cut texts that are too long to read; return short events unchanged. */
export function shortened(event: TaskEvent): TaskEvent {
  switch (event.type) {
    case "message":
    case "thought":
    case "log":
    case "result":
      return event.text.length <= TEXT_CHARS
        ? event
        : { ...event, text: cutMiddle(event.text, TEXT_CHARS) };
    case "tool":
      return sizeOf(event) <= OUTPUT_CHARS ? event : shortCall(event);
    case "emit":
      return { ...event, name: shortName(event.name), value: shortVariable(event.value) };
    default:
      return event;
  }
}

/** Cut the name of a variable. */
export function shortName(name: string): string {
  return cutMiddle(name, NAME_CHARS);
}

/** Cut the text of a variable. */
export function shortVariable(value: unknown): unknown {
  return sizeOf(value) <= VALUE_CHARS
    ? value
    : cutMiddle(typeof value === "string" ? value : JSON.stringify(value), VALUE_CHARS);
}

/** Cut the texts of a call, except changes: cut, they would show a different change. */
function shortCall(event: Extract<TaskEvent, { type: "tool" }>): TaskEvent {
  const { input, output, content } = event;
  return {
    ...event,
    ...(input === undefined ? {} : { input: shortValue(input) }),
    ...(output === undefined ? {} : { output: shortValue(output, OUTPUT_CHARS) }),
    ...(content === undefined
      ? {}
      : {
          content: content.map((part) =>
            part.type === "text" && part.text !== undefined
              ? { ...part, text: cutMiddle(part.text, OUTPUT_CHARS) }
              : part,
          ),
        }),
  };
}

/** Cut each member of an input, since each says what a call is about. */
function shortValue(value: unknown, chars = TEXT_CHARS): unknown {
  if (typeof value === "string") {
    return cutMiddle(value, chars);
  }
  if (typeof value !== "object" || value === null || sizeOf(value) <= chars) {
    return value;
  }
  return Array.isArray(value)
    ? cutMiddle(JSON.stringify(value), chars)
    : Object.fromEntries(
        Object.entries(value).map(([key, each]) => [
          key,
          cutMiddle(typeof each === "string" ? each : JSON.stringify(each), chars),
        ]),
      );
}
