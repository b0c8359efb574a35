// Times, counts and amounts as every surface writes them; in English as the command line does.
import { localized } from "./language.js";

const LOCALE = localized("en-US", "de-DE");
const WORDS = localized(
  {
    now: "now",
    day: "d",
    ago: (time: string) => `${time} ago`,
    dollars: (amount: string) => `$${amount}`,
    leastDollars: "<$0.0001",
  },
  {
    now: "jetzt",
    day: "T",
    ago: (time) => `vor ${time}`,
    dollars: (amount) => `${amount}\u00A0$`,
    leastDollars: "<0,0001\u00A0$",
  },
);

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The units of a time, largest first, each with the next smaller one. */
const UNITS = [
  { size: DAY, name: WORDS.day, part: HOUR, partName: "h" },
  { size: HOUR, name: "h", part: MINUTE, partName: "m" },
  { size: MINUTE, name: "m", part: SECOND, partName: "s" },
] as const;

/** A time closer than this, in ms, is "now". */
const NOW = 10 * SECOND;

/** Format a number of ms in its two largest units: `7s`, `1m 5s`, `2h 3m`, `3d 4h`. */
export function duration(ms: number): string {
  const unit = UNITS.find(({ size }) => ms >= size);
  if (unit === undefined) {
    return `${Math.max(0, Math.floor(ms / SECOND))}s`;
  }
  const { size, name, part, partName } = unit;
  return `${Math.floor(ms / size)}${name} ${Math.floor((ms % size) / part)}${partName}`;
}

/** Format the time since `time` in its largest unit: `now`, `12s ago`, `5m ago`. Both in ms since the epoch. */
export function ago(time: number, now: number): string {
  const passed = now - time;
  return passed < NOW ? WORDS.now : WORDS.ago(duration(passed).split(" ", 1).join(""));
}

/** Format a time of day, in ms since the epoch, in the local time zone: `05:06:07`. */
export function clock(time: number): string {
  const at = new Date(time);
  return [at.getHours(), at.getMinutes(), at.getSeconds()]
    .map((part) => String(part).padStart(2, "0"))
    .join(":");
}

const SYSTEM = Intl.DateTimeFormat().resolvedOptions().locale;
// A region of the same language orders a date as its people do: `en-GB` in an English editor.
const REGION = SYSTEM.startsWith(LOCALE.slice(0, 2)) ? SYSTEM : LOCALE;

/** Format a date and time, in ms since the epoch, in the local time zone: `11/5/2026, 5:06:07 AM`. */
export function localTime(time: number): string {
  return new Date(time).toLocaleString(REGION);
}

const DAY_NAME = new Intl.DateTimeFormat(LOCALE, { day: "numeric", month: "short" });

/** Format the day of a time, in ms since the epoch, in the local time zone: `Nov 5`. */
export function day(time: number): string {
  return DAY_NAME.format(time);
}

const ENDLESS = 1e15; // only a damaged store has larger values, whose digits do not fit anywhere
const SCIENTIFIC = new Intl.NumberFormat(LOCALE, {
  notation: "scientific",
  maximumFractionDigits: 1,
});
const EXACT = new Intl.NumberFormat(LOCALE);
const TENTHS = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 1 });
const COMPACT = new Intl.NumberFormat(LOCALE, { notation: "compact", maximumFractionDigits: 1 });
const [CENTS, SMALL] = [2, 4].map(
  (digits) =>
    new Intl.NumberFormat(LOCALE, { minimumFractionDigits: digits, maximumFractionDigits: digits }),
) as [Intl.NumberFormat, Intl.NumberFormat];

function written(format: Intl.NumberFormat, value: number): string {
  return (Math.abs(value) < ENDLESS ? format : SCIENTIFIC).format(value);
}

/** Format a whole number in full: `12,345`. */
export function exact(count: number): string {
  return written(EXACT, count);
}

/** Format a number with one decimal place, unless that is 0: `1.5`. */
export function tenths(value: number): string {
  return written(TENTHS, value);
}

/** Format a count and what it counts: `1 task`, `2,000 tasks`. */
export function counted(count: number, noun: string): string {
  return `${exact(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** Format a count and what it counts, where the plural is another word: `1 Aufgabe`, `2 Aufgaben`. */
export function plural(count: number, one: string, many: string): string {
  return `${exact(count)} ${count === 1 ? one : many}`;
}

/** Format a large number briefly: `950`, `12.3K`. */
export function compact(count: number): string {
  return written(COMPACT, count);
}

/** Format a cost in USD so that a small one does not look like nothing: `$1,234.50`, `$0.0031`, `<$0.0001`. */
export function dollars(cost: number): string {
  if (cost > 0 && cost < 0.0001) {
    return WORDS.leastDollars;
  }
  return WORDS.dollars(written(cost > 0 && cost < 0.01 ? SMALL : CENTS, cost));
}
