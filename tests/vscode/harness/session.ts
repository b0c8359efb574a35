import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";

import type { Browser } from "playwright-core";

import { Puppets } from "./agents/puppets.ts";
import { Host, type HostOptions } from "./host.ts";
import { inEachLook, TAKES_ALL } from "./looks.ts";
import { PICTURES, VSIX } from "./places.ts";
import { Probe } from "./probe.ts";
import { Profile } from "./profile.ts";
import { SLOWNESS } from "./waiting.ts";
import { launchBrowser, Workbench } from "./workbench.ts";

const SET_UP_MS = 120_000 * SLOWNESS;
const STEP_MS = (TAKES_ALL ? 240_000 : 120_000) * SLOWNESS;

export interface SessionOptions extends Partial<HostOptions> {
  /** Whether the steps begin with a window never used before, or once the sidecar answers. */
  readonly begins?: "at install" | "set up";
  /** Called with the empty profile, before anything is installed or started. */
  readonly prepare?: (profile: Profile, puppets: Puppets) => Promise<void>;
}

/** Takes a figure that is worth reading in a run that passes. */
type Report = (figure: string) => void;

/** What the steps of one file share: a fresh profile, its host, and one window. */
export class Session {
  readonly #name: string;
  #profile: Profile | undefined;
  #puppets: Puppets | undefined;
  #host: Host | undefined;
  #browser: Browser | undefined;
  #workbench: Workbench | undefined;
  #installedAt = 0;
  #failed: string | undefined;

  /** Register the set-up and the tidying of a file of steps; `name` begins its pictures' names. */
  constructor(name: string, options: SessionOptions = {}) {
    this.#name = name;
    before(() => this.#start(options), { timeout: SET_UP_MS });
    after(() => this.#stop(), { timeout: SET_UP_MS });
  }

  get profile(): Profile {
    return present(this.#profile);
  }

  get puppets(): Puppets {
    return present(this.#puppets);
  }

  get host(): Host {
    return present(this.#host);
  }

  get workbench(): Workbench {
    return present(this.#workbench);
  }

  /**
   * When somebody whose window was open already would have begun the install, on the clock of
   * `performance.now`: the time it took, before the window could be used.
   */
  get installedAt(): number {
    return this.#installedAt;
  }

  /** Open another window, on a folder of its own. */
  async openWindow(folder: string): Promise<Workbench> {
    await mkdir(folder, { recursive: true });
    const url = `${this.host.url}/?folder=${encodeURIComponent(folder)}`;
    const workbench = await Workbench.open(present(this.#browser), url, `${this.#name}-other`);
    await workbench.ready();
    return workbench;
  }

  /** One step of the story: a test that leaves a picture. After a failed one the rest fail at once. */
  step(name: string, body: (workbench: Workbench, report: Report) => Promise<void>): void {
    void test(name, { timeout: STEP_MS }, async (context) => {
      assert.equal(this.#failed, undefined, "an earlier step failed, and this one builds on it");
      const picture = name.replaceAll(/\W+/g, "-").toLowerCase();
      try {
        await body(this.workbench, (figure) => {
          context.diagnostic(figure);
        });
        await this.#takePictures(picture);
      } catch (error) {
        this.#failed = name;
        await this.#keepEvidence(picture);
        throw error;
      }
    });
  }

  async #takePictures(name: string): Promise<void> {
    await this.workbench.picture(name);
    if (TAKES_ALL && !this.workbench.page.isClosed()) {
      await inEachLook(this.workbench, new Probe(this.profile), (look) =>
        this.workbench.picture(`${name}-${look}`),
      );
    }
  }

  async #start(options: SessionOptions): Promise<void> {
    this.#profile = await Profile.create();
    this.#puppets = await Puppets.listen(join(this.#profile.folder, "puppets"));
    await options.prepare?.(this.#profile, this.#puppets);
    if (TAKES_ALL) {
      await Probe.install(this.#profile); // to change the theme
    }
    const began = performance.now();
    await this.#profile.install(VSIX);
    const installMs = performance.now() - began;
    await this.#open(options);
    this.#installedAt = performance.now() - installMs;
  }

  async #open(options: SessionOptions): Promise<void> {
    const fresh = options.begins === "at install";
    if (!fresh) {
      await this.profile.borrowEnvironment();
    }
    this.#host = await Host.start(this.profile, {
      trustsAll: options.trustsAll ?? true,
      opensFolder: options.opensFolder ?? true,
    });
    this.#browser = await launchBrowser();
    this.#workbench = await Workbench.open(this.#browser, this.#host.url, this.#name);
    if (!fresh) {
      await this.#workbench.ready();
      await this.profile.lendEnvironment();
    }
  }

  async #stop(): Promise<void> {
    await this.#browser?.close();
    await this.#host?.stop();
    this.#puppets?.close();
    await this.#profile?.remove();
  }

  async #keepEvidence(step: string): Promise<void> {
    await this.workbench.picture(`${step}-FAILED`);
    const folder = join(PICTURES, `${this.#name}-${step}-logs`);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "server.txt"), this.host.output);
  }
}

function present<T>(part: T | undefined): T {
  if (part === undefined) {
    throw new Error("the session did not start");
  }
  return part;
}
