/** What the browser is asked to note. */
export const TRACED = ["toplevel", "devtools.timeline"];
/** The same, with the marks of pages. */
export const MARKED = [...TRACED, "blink.user_timing"];

interface Noted {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Times in us; `tdur` is processor time of the thread. */
  readonly ts: number;
  readonly dur?: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string; readonly data?: { readonly url?: string } };
}

/**
 * The most processor time, in ms, of a task of the browser in which code of the panel ran: other
 * programs on the machine do not count.
 */
export function longestWork(trace: string): number {
  const traceEvents = eventsOf(trace);
  const tasks = tasksOf(traceEvents);
  const calls = traceEvents.filter(
    ({ name, args }) => name === "FunctionCall" && args?.data?.url?.includes("webview/main.js"),
  );
  const times = calls.map((call) => {
    const within = tasks.filter(
      ({ pid, tid, ts, dur = 0 }) =>
        pid === call.pid && tid === call.tid && ts <= call.ts && call.ts <= ts + dur,
    );
    return Math.max(0, ...within.map(({ tdur = 0 }) => tdur));
  });
  return milliseconds(Math.max(0, ...times));
}

/** The processor time, in ms, of the main threads of all pages from one mark to another. */
export function workBetween(trace: string, from: string, to: string): number {
  const traceEvents = eventsOf(trace);
  const [begin, end] = [timeOf(traceEvents, from), timeOf(traceEvents, to)];
  const mains = new Set(
    traceEvents
      .filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain")
      .map(threadOf),
  );
  const times = tasksOf(traceEvents)
    .filter(
      (task) => mains.has(threadOf(task)) && task.ts + (task.dur ?? 0) >= begin && task.ts <= end,
    )
    .map(({ tdur = 0 }) => tdur);
  return milliseconds(times.reduce((sum, time) => sum + time, 0));
}

function eventsOf(trace: string): Noted[] {
  return (JSON.parse(trace) as { traceEvents: Noted[] }).traceEvents;
}

function tasksOf(events: readonly Noted[]): Noted[] {
  return events
    .filter(({ name, ph }) => ph === "X" && name.endsWith("RunTask"))
    .sort((one, other) => one.ts - other.ts);
}

function timeOf(events: readonly Noted[], mark: string): number {
  const [first] = events.filter(({ name }) => name === mark).map(({ ts }) => ts);
  if (first === undefined) {
    throw new Error(`No page has set the mark ${mark}.`);
  }
  return first;
}

function threadOf({ pid, tid }: Noted): string {
  return `${pid}/${tid}`;
}

function milliseconds(microseconds: number): number {
  return Math.round(microseconds / 100) / 10;
}
