import type { SetupStep } from "../client/state.js";
import { SETUP } from "./strings.js";

/** Turns pip's output into progress messages, counting the packages of a requirements file. */
export class PipProgress {
  readonly #all: number;
  readonly #seen = new Set<string>();
  #step: SetupStep = "download";

  constructor(requirements: string) {
    this.#all = requirements.match(/^[A-Za-z0-9.]/gmu)?.length ?? 0;
  }

  /** What pip does now. */
  get step(): SetupStep {
    return this.#step;
  }

  /** Return the message for a line of output; undefined if it reports no progress. */
  take(line: string): string | undefined {
    const name = /^(?:Collecting|Processing) (\S+)/.exec(line.trim())?.[1];
    if (name === undefined) {
      return line.startsWith("Installing collected packages") ? this.#unpacks() : undefined;
    }
    const shown = packageName(name);
    this.#seen.add(shown);
    return SETUP.downloading(shown, this.#seen.size, Math.max(this.#all, this.#seen.size));
  }

  #unpacks(): string {
    this.#step = "install";
    return SETUP.unpacking;
  }
}

/** The name of a package in a requirement such as `orjson==3.11.0` or a path of a wheel. */
function packageName(requirement: string): string {
  const file = requirement.split(/[\\/]/u).at(-1) ?? requirement;
  return /^[A-Za-z0-9._-]+?(?=[=<>~!;[]|-\d|$)/u.exec(file)?.[0] ?? file;
}
