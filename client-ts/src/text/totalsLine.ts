import { Throttle } from "../util/coalesce.js";
import type { StatsParams, StatsResult, Totals } from "../protocol.js";
import { compact, counted, money } from "./words.js";

/** Totals read every task: while many change they need not be right at every moment. */
const REFRESH_MS = 5_000;

/** The totals of the tasks under a filter, in a line, kept current as far as that is cheap. */
export class TotalsLine {
  readonly #stats: (params: StatsParams) => Promise<StatsResult>;
  readonly #changed: () => void;
  readonly #read = new Throttle(REFRESH_MS, () => void this.#ask());
  #filter: string | undefined;
  #known: { readonly filter: string; readonly totals: Totals } | undefined;

  constructor(stats: (params: StatsParams) => Promise<StatsResult>, changed: () => void) {
    this.#stats = stats;
    this.#changed = changed;
  }

  /** Read the totals for this filter: at once when it is a new one. */
  follow(filter: string): void {
    if (filter !== this.#filter) {
      this.#filter = filter;
      this.#read.dispose();
    }
    this.#read.call();
  }

  /** The line for this filter; "" until its totals are known. */
  textFor(filter: string): string {
    return this.#known?.filter === filter ? totalsText(this.#known.totals) : "";
  }

  dispose(): void {
    this.#read.dispose();
  }

  async #ask(): Promise<void> {
    const filter = this.#filter ?? "";
    const known = await this.#stats({
      ...(filter === "" ? {} : { query: filter }),
      groupBy: [],
    }).then(
      ({ totals }) => ({ filter, totals }),
      () => undefined, // The list beside it tells what went wrong.
    );
    if (filter === this.#filter) {
      this.#known = known;
      this.#changed();
    }
  }
}

/** Say what tasks used in all; what none of them knows is left out, what some know is counted. */
export function totalsText({ tasks, tokens, cost, tasksWithCost }: Totals): string {
  const spent = money(cost);
  const known = tasksWithCost < tasks ? ` in ${counted(tasksWithCost, "task")}` : "";
  return [
    tokens == null ? undefined : `${compact(tokens)} tokens`,
    spent === undefined ? undefined : `${spent}${known}`,
  ]
    .filter((part) => part !== undefined)
    .join(" · ");
}
