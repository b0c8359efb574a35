/** What the browser is asked to note. */
export const TRACED = ["toplevel", "devtools.timeline"];

interface Noted {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Times in us; `tdur` is processor time of the thread. */
  readonly ts: number;
  readonly dur?: number;
  readonly tdur?: number;
  readonly args?: { readonly data?: { readonly url?: string } };
}

/**
 * The most processor time, in ms, of a task of the browser in which code of the panel ran: other
 * programs on the machine do not count.
 */
export function longestWork(trace: string): number {
  const { traceEvents } = JSON.parse(trace) as { traceEvents: Noted[] };
  const tasks = traceEvents
    .filter(({ name, ph }) => ph === "X" && name.endsWith("RunTask"))
    .sort((one, other) => one.ts - other.ts);
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
  return Math.round(Math.max(0, ...times) / 100) / 10;
}
