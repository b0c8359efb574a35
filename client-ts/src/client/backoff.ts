/** How often, and how soon, a crashed sidecar is restarted. */
export interface RestartLimits {
  /** Crashes within `windowMs` that lead to a restart; one more gives up. */
  readonly maxCrashes: number;
  readonly windowMs: number;
  /** Wait before the first restart; each further one within the window waits twice as long. */
  readonly baseMs: number;
  readonly maxMs: number;
}

/** Five restarts in three minutes, as language clients allow. */
export const DEFAULT_RESTART_LIMITS: RestartLimits = {
  maxCrashes: 5,
  windowMs: 180_000,
  baseMs: 500,
  maxMs: 15_000,
};

export interface Retry {
  /** Counts the crashes within the window, from 1. */
  readonly attempt: number;
  readonly inMs: number;
}

/** Remembers crashes and decides when to restart. Takes the time as a parameter, has no timer. */
export class RestartPolicy {
  readonly #limits: RestartLimits;
  #crashes: number[] = [];

  constructor(limits: Partial<RestartLimits> = {}) {
    this.#limits = { ...DEFAULT_RESTART_LIMITS, ...limits };
  }

  /** How many crashes of the window are remembered. */
  get crashes(): number {
    return this.#crashes.length;
  }

  /** Record a crash at `nowMs` (any monotonic clock); undefined means to give up. */
  crashed(nowMs: number): Retry | undefined {
    const { maxCrashes, windowMs, baseMs, maxMs } = this.#limits;
    this.#crashes = this.#crashes.filter((at) => nowMs - at < windowMs);
    this.#crashes.push(nowMs);
    const attempt = this.#crashes.length;
    if (attempt > maxCrashes) {
      return undefined;
    }
    return { attempt, inMs: Math.min(maxMs, baseMs * 2 ** (attempt - 1)) };
  }
}
