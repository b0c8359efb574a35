import type { Disposable } from "vscode";

import type { AsyncTask } from "../protocol.js";
import type { SubagentService } from "../service/service.js";
import { coalesced } from "../util/coalesce.js";
import { type Offers, offersOf } from "./offers.js";

type Service = Pick<
  SubagentService,
  | "request"
  | "state"
  | "onDidChangeState"
  | "onDidChangeTask"
  | "onDidChangeDefinitions"
  | "onDidRestart"
>;

/** Keeps a composer informed of what agents offer, which the sidecar learns from their runs. */
export class OfferFeed implements Disposable {
  readonly #service: Service;
  readonly #subscriptions: readonly Disposable[];
  /** What is known of each run that could say more about its agent. */
  readonly #runs = new Map<string, string>();
  readonly #refresh = coalesced(() => this.#request());
  #post: ((offers: Offers) => void) | undefined;
  #posted = "";

  constructor(service: Service) {
    this.#service = service;
    const refresh = (): void => void this.#refresh();
    this.#subscriptions = [
      service.onDidChangeState(refresh),
      service.onDidChangeDefinitions(refresh),
      service.onDidRestart(refresh),
      service.onDidChangeTask((task) => {
        this.#taskChanged(task);
      }),
    ];
  }

  /** Post what agents offer, now and whenever it changes. */
  show(post: (offers: Offers) => void): void {
    this.#post = post;
    this.#posted = "";
    void this.#refresh();
  }

  /** Stop until the next `show`. */
  hide(): void {
    this.#post = undefined;
  }

  dispose(): void {
    this.hide();
    for (const subscription of this.#subscriptions) {
      subscription.dispose();
    }
  }

  #taskChanged(task: AsyncTask): void {
    const phase = phaseOf(task);
    if (this.#runs.get(task.id) === phase) {
      return;
    }
    if (task.completedAt === undefined) {
      this.#runs.set(task.id, phase);
    } else {
      this.#runs.delete(task.id);
    }
    void this.#refresh();
  }

  async #request(): Promise<void> {
    if (this.#post === undefined || this.#service.state.kind !== "running") {
      return;
    }
    try {
      const { items } = await this.#service.request("runners/list", {});
      this.#send(offersOf(items));
    } catch {
      // The sidecar is not running; its next start requests them again.
    }
  }

  #send(offers: Offers): void {
    const text = JSON.stringify(offers);
    if (text !== this.#posted) {
      this.#posted = text;
      this.#post?.(offers);
    }
  }
}

/** Return what changes when the agent of a run announces something. */
function phaseOf({ status, model, mode, effort, progress }: AsyncTask): string {
  return JSON.stringify([status, model, mode, effort, progress.turns > 0]);
}
