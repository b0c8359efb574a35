// Small charts as SVG: a page without scripts may show it, and attributes need no style sheet.
import { escaped } from "../text/html.js";

const DAY = 86_400_000;
/** The most days of a chart, so that each column can be seen. */
const MOST_DAYS = 120;
/** The fewest days that a chart spans, so that its columns are not wide blocks. */
const FEWEST_DAYS = 14;
const HEIGHT = 100;
/** The share of a column's width that is empty. */
const GAP = 0.2;
/** The least height of a column, and width of a bar, for a value above 0, in percent. */
const LEAST = 1;

/** One day of a chart: its date as in ISO 8601, its value, and what a pointer on it shows. */
export interface ChartDay {
  readonly date: string;
  readonly value: number;
  readonly words: string;
}

/** Draw a bar for a share of all, which is the whole width; anything above 0 can be seen. */
export function bar(share: number): string {
  const width = Math.max(LEAST, 100 * share).toFixed(1);
  return `<svg class="bar" aria-hidden="true"><rect width="${width}%" height="100%"></rect></svg>`;
}

/** Draw a column for each of the newest days; `label` describes the chart to who cannot see it. */
export function dayChart(days: readonly ChartDay[], label: string): string {
  const shown = newest(days);
  const most = Math.max(...shown.map(({ value }) => value));
  const last = Date.parse(shown.at(-1)?.date ?? "");
  const first = Date.parse(firstShown(shown));
  if (shown.length < 2 || most <= 0) {
    return "";
  }
  const columns = shown.map(({ date, value, words }) => {
    const height = value <= 0 ? 0 : Math.max(LEAST, HEIGHT * (value / most));
    const x = (Date.parse(date) - first) / DAY + GAP / 2;
    const at = `x="${x}" y="${(HEIGHT - height).toFixed(1)}"`;
    const size = `width="${1 - GAP}" height="${height.toFixed(1)}"`;
    return `<rect ${at} ${size}><title>${escaped(words)}</title></rect>`;
  });
  const width = (last - first) / DAY + 1;
  const box = `viewBox="0 0 ${width} ${HEIGHT}" preserveAspectRatio="none"`;
  return `<svg class="days" role="img" aria-label="${escaped(label)}" ${box}>${columns.join("")}</svg>`;
}

/** Return the date at the start of a chart, which may be before the first day of which something is known. */
export function firstShown(shown: readonly ChartDay[]): string {
  const [first, last] = [shown[0]?.date ?? "", Date.parse(shown.at(-1)?.date ?? "")];
  const earliest = last - (FEWEST_DAYS - 1) * DAY;
  return Date.parse(first) > earliest ? new Date(earliest).toISOString().slice(0, 10) : first;
}

/** Return the newest days in their order, without dates that do not exist and future ones. */
export function newest(days: readonly ChartDay[], now = Date.now()): ChartDay[] {
  const dated = days
    .filter(({ date }) => isDay(date) && Date.parse(date) < now + DAY)
    .sort((one, other) => one.date.localeCompare(other.date));
  const end = Date.parse(dated.at(-1)?.date ?? "");
  return dated.filter(({ date }) => end - Date.parse(date) < MOST_DAYS * DAY);
}

function isDay(date: string): boolean {
  const time = Date.parse(date);
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 10) === date;
}
