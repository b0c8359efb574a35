import type { AsyncTask } from "../protocol.js";
import type { SubagentService } from "../service/service.js";
import { type InstalledAgent, installedAgents } from "./installedAgents.js";
import { type Offers, offersOf } from "./offers.js";
import { PageFeed } from "./pageFeed.js";

/** What agents offer, which the sidecar learns from their runs, and which of them are installed. */
interface Offered {
  readonly offers: Offers;
  readonly agents: readonly InstalledAgent[];
}

/** Keeps a composer informed of what agents offer. */
export class OfferFeed extends PageFeed<Offered> {
  readonly #service: SubagentService;

  constructor(service: SubagentService) {
    super(service, service.onDidChangeDefinitions);
    this.#service = service;
  }

  protected async request(): Promise<void> {
    if (this.isShown) {
      const runners = await this.#service.request("runners/list", {});
      this.post({ offers: offersOf(runners.items), agents: installedAgents(runners) });
    }
  }

  /** Return what changes when the agent of a run announces something. */
  protected phaseOf({ status, model, mode, effort, progress }: AsyncTask): string {
    return JSON.stringify([status, model, mode, effort, progress.turns > 0]);
  }
}
