import { existsSync, readdirSync, statSync } from "node:fs";
import path from "node:path";

import { hostsIn } from "./hosts.js";

/** A file that is written last: its presence means that an environment is complete. */
export const STAMP = "subagent-sidecar.json";

const ENVIRONMENT = /^(venv-[0-9a-f]{12})(?:-(\d+))?$/;

/**
 * The environments of one bundle and one Python: `venv-<name>`, then `venv-<name>-2` and so on. Each
 * installation creates another one, so that none changes while it is used.
 */
export class Generations {
  readonly #first: string;

  /** `first` is the folder of the first environment; the others are next to it. */
  constructor(first: string) {
    this.#first = first;
  }

  /** The folder of the newest complete environment; undefined if there is none. */
  get newest(): string | undefined {
    return this.all.find(isComplete);
  }

  /** The folders that exist, complete or not, newest first. */
  get all(): string[] {
    const parent = path.dirname(this.#first);
    return environmentsIn(parent)
      .filter((folder) => firstOf(folder) === this.#first)
      .toSorted((one, other) => numberOf(other) - numberOf(one));
  }

  /** Return the folder of the next environment; an incomplete one that no Host uses is replaced. */
  async next(): Promise<string> {
    const { newest } = this;
    for (let at = newest === undefined ? 1 : numberOf(newest) + 1; ; at += 1) {
      const folder = at === 1 ? this.#first : `${this.#first}-${at}`;
      if ((await hostsIn(folder)).length === 0) {
        return folder;
      }
    }
  }
}

/** Return the interpreter of an environment. */
export function interpreterIn(folder: string): string {
  return process.platform === "win32"
    ? path.join(folder, "Scripts", "python.exe")
    : path.join(folder, "bin", "python");
}

/** Return the interpreter of the newest installation of the environment that has this one. */
export function newestInterpreter(interpreter: string): string {
  const folder = path.dirname(path.dirname(interpreter));
  return interpreterIn(new Generations(firstOf(folder)).newest ?? folder);
}

/** Return the folders of all environments. */
export function environmentsIn(storage: string): string[] {
  const names = existsSync(storage) && statSync(storage).isDirectory() ? readdirSync(storage) : [];
  return names.filter((name) => ENVIRONMENT.test(name)).map((name) => path.join(storage, name));
}

/** The interpreter is a link, which dangles if the Python that created it was removed. */
function isComplete(folder: string): boolean {
  return existsSync(path.join(folder, STAMP)) && existsSync(interpreterIn(folder));
}

function firstOf(folder: string): string {
  const [, name] = ENVIRONMENT.exec(path.basename(folder)) ?? [];
  return name === undefined ? folder : path.join(path.dirname(folder), name);
}

function numberOf(folder: string): number {
  return Number(ENVIRONMENT.exec(path.basename(folder))?.[2] ?? 1);
}
