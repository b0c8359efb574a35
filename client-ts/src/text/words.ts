import type { TaskInfo } from "../protocol.js";
import { withoutUnseen } from "../questions/unseen.js";

/** Say in a few words what became of a stored task. */
export function storedStatus(task: TaskInfo): string {
  return task.outcome === "unknown" || task.outcome === task.status
    ? task.status
    : `${task.status}, ${task.outcome}`;
}

/** Put text on one line, without characters that are not seen, and cut it to `most` characters. */
export function oneLine(text: string, most: number): string {
  const line = withoutUnseen(text).replace(/\s+/gu, " ").trim();
  return line.length <= most ? line : `${line.slice(0, most - 1)}…`;
}

/** Return text in which a notification finds no link: a model must not write those. */
export function unlinked(text: string): string {
  return text.replaceAll("](", "] (");
}

/** Put text on one line of a quick pick, cut to `most` characters; `$(name)` in it draws no icon. */
export function rowText(text: string, most: number): string {
  return withoutIcons(oneLine(text, most));
}

/** Return text in which quick picks and the status bar draw no icon where it says `$(name)`. */
export function withoutIcons(text: string): string {
  return text.replace(/\\?\$\([\w-]+(?:~\w+)?\)/gu, (icon) => `\\${icon.replace(/^\\/u, "")}`);
}

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
] as const;

/** Say how long something took or is ago, in its largest unit: `3 h`, `12 s`. */
export function span(ms: number): string {
  for (const [unit, size] of UNITS) {
    if (ms >= size) {
      return `${Math.floor(ms / size)} ${unit}`;
    }
  }
  return `${Math.max(0, Math.floor(ms / 1000))} s`;
}

/** Say how long ago a time (ms since the epoch) was. */
export function ago(time: number, now: number): string {
  return now - time < 10_000 ? "now" : `${span(now - time)} ago`;
}

/** Write a time as the user's locale has it. */
export function localTime(time: number): string {
  return new Date(time).toLocaleString();
}

/** Count things: `1 task`, `2,000 tasks`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString()} ${noun}${count === 1 ? "" : "s"}`;
}

/** Write an amount in USD; undefined when it is not known. */
export function money(cost: number | null | undefined): string | undefined {
  if (cost == null) {
    return undefined;
  }
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: 2 };
  return cost > 0 && cost < 0.005 ? "<$0.01" : `$${cost.toLocaleString(undefined, digits)}`;
}

/** Write a large number shortly: `31.2M`. */
export function compact(value: number): string {
  return value.toLocaleString(undefined, { notation: "compact", maximumFractionDigits: 1 });
}

const BYTE_UNITS = ["B", "KB", "MB", "GB", "TB"] as const;

/** Write a number of bytes in its largest unit, of 1,024 of the one before. */
export function byteSize(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10);
  const unit = Math.min(step, BYTE_UNITS.length - 1);
  const value = bytes / 1024 ** unit;
  const digits = unit === 0 || value >= 100 ? 0 : 1;
  return `${value.toLocaleString(undefined, { maximumFractionDigits: digits })}\u00A0${BYTE_UNITS[unit] ?? ""}`;
}
