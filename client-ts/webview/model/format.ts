import { withHiddenShown } from "../../src/questions/unseen.js";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Say a span of ms in its two largest units: `7s`, `1m 05s`, `2h 03m`, `3d 4h`. */
export function duration(ms: number): string {
  const span = Math.max(0, ms);
  if (span < MINUTE) {
    return `${Math.floor(span / SECOND)}s`;
  }
  if (span < HOUR) {
    return `${Math.floor(span / MINUTE)}m ${pad(Math.floor((span % MINUTE) / SECOND))}s`;
  }
  if (span < DAY) {
    return `${Math.floor(span / HOUR)}h ${pad(Math.floor((span % HOUR) / MINUTE))}m`;
  }
  return `${Math.floor(span / DAY)}d ${Math.floor((span % DAY) / HOUR)}h`;
}

const COMPACT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** Say a count briefly: `950`, `12.3K`. */
export function compact(count: number): string {
  return COMPACT.format(count);
}

/** Say a cost in USD with at least two significant digits. */
export function dollars(cost: number): string {
  return cost >= 0.1 || cost === 0 ? `$${cost.toFixed(2)}` : `$${cost.toPrecision(2)}`;
}

/** Say a count and what is counted, in the plural where it is one. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

// Terminal colours and other control characters, but not tab and line feed.
const CONTROLS =
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\r(?=\n)|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/gu;

/** Take out of a text what only a terminal understands. */
export function plain(text: string): string {
  return text.replace(CONTROLS, "");
}

/** Return a text of which a reader sees each character, hidden ones as their code points. */
export function exact(text: string): string {
  return withHiddenShown(plain(text));
}

/** Show a value as text, cut to a length in characters; a cut is said. */
export function valueText(value: unknown, limit = 4_000): string {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return cutText(text, limit);
}

/** Cut a text to a length in characters and say how much is missing. */
export function cutText(text: string, limit: number): string {
  return text.length <= limit
    ? text
    : `${text.slice(0, limit)}… (${counted(text.length - limit, "more character")})`;
}

function pad(count: number): string {
  return String(count).padStart(2, "0");
}
