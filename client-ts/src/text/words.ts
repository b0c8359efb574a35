import type { TaskInfo } from "../protocol.js";
import { cutEnd } from "./cutting.js";
import { withoutUnseen } from "./unseen.js";
import { dollars, exact, tenths } from "../l10n/format.js";

/** Describe the status of a stored task in a few words. */
export function storedStatus(task: TaskInfo): string {
  return task.outcome === "unknown" || task.outcome === task.status
    ? task.status
    : `${task.status}, ${task.outcome}`;
}

/** Put text on one line, without invisible characters, and cut it to `most` characters. */
export function oneLine(text: string, most: number): string {
  const line = withoutUnseen(text).replace(/\s+/gu, " ").trim();
  return cutEnd(line, most);
}

/** Begin a text with a capital letter. */
export function capitalized(text: string): string {
  return text.charAt(0).toLocaleUpperCase() + text.slice(1);
}

/** Return text in which a notification finds no link: models must not create links. */
export function unlinked(text: string): string {
  return text.replaceAll("](", "] (");
}

/** Put text on one line of a quick pick, cut to `most` characters; `$(name)` in it draws no icon. */
export function rowText(text: string, most: number): string {
  return withoutIcons(oneLine(text, most));
}

/** Return text in which quick picks and the status bar draw no icon for `$(name)`. */
export function withoutIcons(text: string): string {
  return text.replace(/\\?\$\([\w-]+(?:~\w+)?\)/gu, (icon) => `\\${icon.replace(/^\\/u, "")}`);
}

/** Format an amount in USD; undefined if it is not known. */
export function money(cost: number | null | undefined): string | undefined {
  return cost == null ? undefined : dollars(cost);
}

const BYTE_UNITS = ["B", "KB", "MB", "GB", "TB"] as const;

/** Format a number of bytes in its largest unit; each is 1,024 of the one before. */
export function byteSize(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10);
  const unit = Math.min(step, BYTE_UNITS.length - 1);
  const value = bytes / 1024 ** unit;
  const size = unit === 0 || value >= 100 ? exact(Math.round(value)) : tenths(value);
  return `${size}\u00A0${BYTE_UNITS[unit] ?? ""}`;
}
