export type DateGroup = "today" | "yesterday" | "week" | "older";

/** Return the start of the local day of a time, both in ms since the epoch. */
export function midnight(time: number): number {
  const day = new Date(time);
  day.setHours(0, 0, 0, 0);
  return day.getTime();
}

/**
 * Return a function that gives the group of a task by when it was last active; `today` is the start
 * of the local day.
 */
export function dateGroups(today: number): (at: number | undefined) => DateGroup {
  const [yesterday, week] = [daysBefore(today, 1), daysBefore(today, 6)];
  return (at = -Infinity) =>
    at >= today ? "today" : at >= yesterday ? "yesterday" : at >= week ? "week" : "older";
}

/** Days with a change of the clock have 23 or 25 hours. */
function daysBefore(day: number, count: number): number {
  const date = new Date(day);
  date.setDate(date.getDate() - count);
  return date.getTime();
}
