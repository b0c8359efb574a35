import type { TimedTurn } from "./turnIndex.js";

const TIME = /^(\d{1,2})[:.](\d{2})(?:[:.](\d{2}))?\s*([ap])?\.?m?\.?$/iu;

/**
 * Return the turns at a time of day, such as `14:05`, `14:05:30` or `2:05 pm`: one for each
 * day on which turns began, in the local time zone. Empty if the text is not a time.
 */
export function turnsAt<T extends TimedTurn>(turns: readonly T[], text: string): T[] {
  const time = timeOf(text.trim());
  const known = turns.filter(({ ts }) => ts > 0);
  const days = [...new Set(known.map(({ ts }) => new Date(ts).setHours(0, 0, 0, 0)))];
  const found = time === undefined ? [] : days.map((begin) => turnOf(known, begin, time));
  return [...new Set(found.filter((turn) => turn !== undefined))];
}

/** Return the turn of a day that began last before a time, or else the first one of that day. */
function turnOf<T extends TimedTurn>(
  turns: readonly T[],
  begin: number,
  [hours, minutes, seconds]: readonly [number, number, number],
): T | undefined {
  const ofDay = turns.filter(({ ts }) => new Date(ts).setHours(0, 0, 0, 0) === begin);
  const at = new Date(begin).setHours(hours, minutes, seconds, 999);
  return ofDay.findLast(({ ts }) => ts <= at) ?? ofDay[0];
}

function timeOf(text: string): [number, number, number] | undefined {
  const [, hours, minutes, seconds = "0", half] = TIME.exec(text) ?? [];
  const hour = Number(hours) + (half === undefined ? 0 : halfDay(Number(hours), half));
  return hours !== undefined && hour < 24 && Number(minutes) < 60 && Number(seconds) < 60
    ? [hour, Number(minutes), Number(seconds)]
    : undefined;
}

/** Return what to add to an hour of a clock with two halves, where 12 comes before 1. */
function halfDay(hour: number, half: string): number {
  return (half.toLowerCase() === "p" ? 12 : 0) - (hour === 12 ? 12 : 0);
}
