export type DateGroup = "today" | "yesterday" | "week" | "older";

/** Return the start of the local day of a time, both in ms since the epoch. */
export function midnight(time: number): number {
  const day = new Date(time);
  day.setHours(0, 0, 0, 0);
  return day.getTime();
}

/** Return the group of a task that was last active `at`; `today` is the start of the local day. */
export function dateGroupOf(at: number | undefined, today: number): DateGroup {
  if (at === undefined) {
    return "older";
  }
  if (at >= today) {
    return "today";
  }
  return at >= daysBefore(today, 1) ? "yesterday" : at >= daysBefore(today, 6) ? "week" : "older";
}

/** Days with a change of the clock have 23 or 25 hours. */
function daysBefore(day: number, count: number): number {
  const date = new Date(day);
  date.setDate(date.getDate() - count);
  return date.getTime();
}
