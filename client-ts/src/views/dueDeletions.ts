import * as vscode from "vscode";

import { isAnswering } from "../client/state.js";
import type { DueDeletion } from "../protocol.js";
import { inform } from "../questions/notify.js";
import type { SubagentService } from "../service/service.js";
import { SECTION } from "../service/settings.js";
import * as strings from "../text/strings.js";
import { Throttle } from "../util/coalesce.js";

const KEY = "history.keep";
const DISMISSED_AT = "deletionsDismissedAt";
const DAY_MS = 86_400_000;
/** Counting them reads every row, and they only change by the day. */
const REFRESH_MS = 600_000;
/** How often they are counted although nothing changes: time passes. */
const CHECK_MS = 3_600_000;
/** How long the sidecar has to copy sessions of which it should keep copies. */
const COPY_MS = 60_000;

type Service = Pick<
  SubagentService,
  "request" | "state" | "onDidChangeState" | "onDidChangeHistory" | "onDidChangeSettings"
>;

/** The sessions that their own product will delete soon, and what the user decides about them. */
export class DueDeletions implements vscode.Disposable {
  readonly #service: Service;
  readonly #memory: vscode.Memento;
  readonly #changes = new vscode.EventEmitter<void>();
  readonly #refresh = new Throttle(REFRESH_MS, () => void this.#read());
  readonly #subscriptions: readonly vscode.Disposable[];
  readonly #checks: NodeJS.Timeout;
  #found: DueDeletion | undefined;
  #kept = keptProducts();
  /** Whether the sidecar had time to copy what it should keep, so that what is due now was not copied. */
  #hadTime = false;
  #waiting: NodeJS.Timeout | undefined;

  /** Fires when the sessions change, or whether they are shown. */
  readonly onDidChange = this.#changes.event;

  constructor(service: Service, memory: vscode.Memento) {
    this.#service = service;
    this.#memory = memory;
    const refresh = (): void => {
      if (isAnswering(service.state)) {
        this.#refresh.call();
      }
    };
    this.#checks = setInterval(refresh, CHECK_MS);
    this.#subscriptions = [
      service.onDidChangeState(refresh),
      service.onDidChangeHistory(refresh),
      service.onDidChangeSettings(() => {
        this.#settingsChanged();
      }),
    ];
  }

  /** What will be deleted soon; undefined if there is nothing, or the sidecar may be copying it. */
  get due(): DueDeletion | undefined {
    return this.#isKept && !this.#hadTime ? undefined : this.#found;
  }

  /** What to show in the list: nothing for a day after the user hid it. */
  get shown(): DueDeletion | undefined {
    const since = Date.now() - this.#memory.get<number>(DISMISSED_AT, 0);
    return since >= 0 && since < DAY_MS ? undefined : this.due;
  }

  /** Hide them in the list for a day. */
  async dismiss(): Promise<void> {
    await this.#memory.update(DISMISSED_AT, Date.now());
    this.#changes.fire();
  }

  /** Keep copies of the sessions of these products from now on. */
  async keep(): Promise<void> {
    if (this.#isKept) {
      void inform(strings.deletions.notCopied);
      return;
    }
    const products = [...new Set([...keptProducts(), ...(this.#found?.products ?? [])])];
    const config = vscode.workspace.getConfiguration(SECTION);
    await config.update(KEY, products, vscode.ConfigurationTarget.Global);
    this.#settingsChanged();
    void inform(strings.deletions.kept);
  }

  dispose(): void {
    clearInterval(this.#checks);
    clearTimeout(this.#waiting);
    this.#refresh.dispose();
    this.#changes.dispose();
    for (const subscription of this.#subscriptions) {
      subscription.dispose();
    }
  }

  async #read(): Promise<void> {
    try {
      this.#found = (await this.#service.request("tasks/stats", { groupBy: [] })).dueDeletion;
      this.#hadTime &&= this.#found !== undefined;
      this.#letCopy();
      this.#changes.fire();
    } catch {
      // The sidecar is not running; its next start reads them again.
    }
  }

  /** Whether the sidecar should keep copies of all that will be deleted. */
  get #isKept(): boolean {
    return this.#found?.products.every((product) => this.#kept.includes(product)) === true;
  }

  #settingsChanged(): void {
    const kept = keptProducts();
    if (kept.join() !== this.#kept.join()) {
      this.#kept = kept;
      this.#hadTime = false;
      this.#letCopy();
    }
    this.#changes.fire();
  }

  /** Count again after the sidecar had time to copy the sessions that it should keep. */
  #letCopy(): void {
    if (!this.#isKept || this.#hadTime || this.#waiting !== undefined) {
      return;
    }
    this.#waiting = setTimeout(() => {
      this.#waiting = undefined;
      this.#hadTime = true;
      void this.#read();
    }, COPY_MS);
  }
}

function keptProducts(): readonly string[] {
  return vscode.workspace.getConfiguration(SECTION).get<string[]>(KEY, []);
}
