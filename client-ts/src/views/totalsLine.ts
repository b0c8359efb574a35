import { Throttle } from "../util/coalesce.js";
import type { StatsParams, StatsResult, Totals } from "../protocol.js";
import { compact } from "../l10n/format.js";
import { estimateWords } from "../text/runWords.js";
import { money } from "../text/words.js";
import * as strings from "../text/strings.js";

/** Totals read every task, so they are updated rarely while many tasks change. */
const REFRESH_MS = 5_000;

/** One line with the totals of the tasks under a filter, updated at most every few seconds. */
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
      () => undefined, // The list next to it reports the error.
    );
    if (filter === this.#filter) {
      this.#known = known;
      this.#changed();
    }
  }
}

/** Describe the total usage; omit what no task knows, and count the tasks that know their cost. */
export function totalsText({ tasks, tokens, cost, estimatedCost, tasksWithCost }: Totals): string {
  const spent = money(cost);
  const { costOf, tokens: ofTokens } = strings.history;
  return [
    tokens == null ? undefined : ofTokens(compact(tokens)),
    spent === undefined || tasksWithCost === tasks ? spent : costOf(spent, tasksWithCost),
    estimateWords(estimatedCost),
  ]
    .filter((part) => part !== undefined)
    .join(" · ");
}
