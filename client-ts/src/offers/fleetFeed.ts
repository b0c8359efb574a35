import type { Disposable } from "vscode";

import type { AsyncTask, FleetStatus } from "../protocol.js";
import type { SubagentService } from "../service/service.js";
import { coalesced } from "../util/coalesce.js";
import { type FleetOffer, fleetOfferOf } from "./placement.js";

type Service = Pick<
  SubagentService,
  | "request"
  | "state"
  | "onDidChangeState"
  | "onDidChangeTask"
  | "onDidChangeSettings"
  | "onDidRestart"
>;

/** Keeps the window informed of the cluster: whether one is configured, its labels and free slots. */
export class FleetFeed implements Disposable {
  readonly #service: Service;
  readonly #configured: (isConfigured: boolean) => void;
  readonly #subscriptions: readonly Disposable[];
  /** Where each run on the cluster was last. */
  readonly #runs = new Map<string, string>();
  readonly #refresh = coalesced(() => this.#look());
  #offer: FleetOffer | undefined;
  #post: ((offer: FleetOffer | undefined) => void) | undefined;

  /** `configured` is called whenever it changes; at first, nothing is known to be configured. */
  constructor(service: Service, configured: (isConfigured: boolean) => void) {
    this.#service = service;
    this.#configured = configured;
    const refresh = (): void => void this.#refresh();
    this.#subscriptions = [
      service.onDidChangeState(refresh),
      service.onDidChangeSettings(refresh),
      service.onDidRestart(refresh),
      service.onDidChangeTask((task) => {
        this.#taskChanged(task);
      }),
    ];
  }

  /** Post what is known, now and whenever it changes. */
  show(post: (offer: FleetOffer | undefined) => void): void {
    this.#post = post;
    post(this.#offer);
    void this.#refresh();
  }

  /** Stop until the next `show`. */
  hide(): void {
    this.#post = undefined;
  }

  /** Return the status of the cluster; starts its gateway, which may take seconds. */
  async status(): Promise<FleetStatus> {
    const status = await this.#service.request("fleet/status", {});
    this.#take(status);
    return status;
  }

  /** Learn the labels and free slots. */
  async connect(): Promise<void> {
    try {
      await this.status();
    } catch {
      // The sidecar is not running; its next start asks again.
    }
  }

  dispose(): void {
    this.hide();
    for (const subscription of this.#subscriptions) {
      subscription.dispose();
    }
  }

  #taskChanged({ id, status, placement, completedAt }: AsyncTask): void {
    const place = JSON.stringify([status, placement?.state, placement?.node]);
    if (placement?.kind !== "ray" || this.#runs.get(id) === place) {
      return;
    }
    if (completedAt === undefined) {
      this.#runs.set(id, place);
    } else {
      this.#runs.delete(id);
    }
    void this.#refresh();
  }

  async #look(): Promise<void> {
    if (this.#service.state.kind !== "running") {
      return;
    }
    try {
      this.#take(await this.#service.request("fleet/status", { connect: false }));
    } catch {
      // Restricted Mode, or the sidecar has just stopped: both are followed by another request.
    }
  }

  #take(status: FleetStatus): void {
    const [offer, before] = [fleetOfferOf(status), this.#offer];
    this.#offer = offer;
    if ((offer === undefined) !== (before === undefined)) {
      this.#configured(offer !== undefined);
    }
    if (JSON.stringify(offer) !== JSON.stringify(before)) {
      this.#post?.(offer);
    }
  }
}
