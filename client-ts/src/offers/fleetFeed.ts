import type { AsyncTask, FleetStatus } from "../protocol.js";
import type { SubagentService } from "../service/service.js";
import { PageFeed } from "./pageFeed.js";
import { type FleetOffer, fleetOfferOf } from "./placement.js";

type Post = (offer: FleetOffer | undefined) => void;

/** Keeps the window informed of the cluster: whether one is configured, its labels and free slots. */
export class FleetFeed extends PageFeed<FleetOffer | undefined> {
  readonly #service: SubagentService;
  readonly #configured: (isConfigured: boolean) => void;
  #offer: FleetOffer | undefined;

  /** `configured` is called whenever it changes; at first, nothing is known to be configured. */
  constructor(service: SubagentService, configured: (isConfigured: boolean) => void) {
    super(service, service.onDidChangeSettings);
    this.#service = service;
    this.#configured = configured;
  }

  /** Post what is known at once, and whenever it changes. */
  override show(post: Post): void {
    super.show(post);
    this.post(this.#offer);
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

  protected async request(): Promise<void> {
    this.#take(await this.#service.request("fleet/status", { connect: false }));
  }

  /** Return what changes when a run on the cluster changes its place. */
  protected phaseOf({ status, placement }: AsyncTask): string | undefined {
    return placement?.kind === "ray"
      ? JSON.stringify([status, placement.state, placement.node])
      : undefined;
  }

  #take(status: FleetStatus): void {
    const [offer, before] = [fleetOfferOf(status), this.#offer];
    this.#offer = offer;
    if ((offer === undefined) !== (before === undefined)) {
      this.#configured(offer !== undefined);
    }
    this.post(offer);
  }
}
