import { setTimeout as pause } from "node:timers/promises";

/** What all limits are multiplied by, for a machine that does much else: `SLOWNESS=5 tests/vscode/run`. */
export const SLOWNESS = Number(process.env["SLOWNESS"] ?? 1);

/** Enough for any one thing that a user waits for, on a busy machine, in ms. */
export const PATIENCE_MS = 30_000 * SLOWNESS;
const LOOK_AGAIN_MS = 50;

/**
 * Watch something outside the browser until it is as wanted, and return what was seen then. Throws
 * with the last thing seen once the limit has passed.
 */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  wanted: (seen: T) => boolean,
  limitMs = PATIENCE_MS,
): Promise<T> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const seen = await look();
    if (wanted(seen)) {
      return seen;
    }
    if (performance.now() > deadline) {
      throw new Error(`after ${limitMs} ms still not ${what}; seen last: ${JSON.stringify(seen)}`);
    }
    await pause(LOOK_AGAIN_MS);
  }
}

/** Wait for a promise, but not for ever; `what` names it in the error. */
export async function within<T>(
  what: string,
  promise: Promise<T>,
  limitMs = PATIENCE_MS,
): Promise<T> {
  const aborter = new AbortController();
  const late = pause(limitMs, undefined, { signal: aborter.signal }).then(() => {
    throw new Error(`${what} took more than ${limitMs} ms`);
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([promise, late]);
  } finally {
    aborter.abort();
  }
}
