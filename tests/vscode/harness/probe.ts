import { execFile } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

import { REPOSITORY } from "./places.ts";
import type { Profile } from "./profile.ts";
import { until, within } from "./waiting.ts";

const VSCE = join(REPOSITORY, "client-ts/node_modules/.bin/vsce");

interface Answer<T> {
  readonly value?: T;
  readonly error?: string;
}

/** What another extension gets from the editor's API; it is also a language model. */
export class Probe {
  readonly #address: string;

  constructor(profile: Profile) {
    this.#address = join(profile.folder, "probe");
  }

  /** Package the probe and install it into a profile. */
  static async install(profile: Profile): Promise<void> {
    const vsix = join(profile.folder, "probe.vsix");
    await promisify(execFile)(
      VSCE,
      ["package", "--no-dependencies", "--allow-missing-repository", "--skip-license", "-o", vsix],
      { cwd: join(REPOSITORY, "tests/vscode/probe") },
    );
    await profile.install(vsix);
  }

  /**
   * Run the body of an async function that sees `vscode` and `given` in the window's extension host, and
   * return what it returns. Rejects with the message of its error.
   */
  async run<T>(program: string, given: unknown = null): Promise<T> {
    await until("listening", () => existsSync(this.#address), Boolean);
    const socket = createConnection(this.#address);
    try {
      await within("reaching the probe", once(socket, "connect"));
      socket.write(`${JSON.stringify({ program, given })}\n`);
      const [line] = (await once(createInterface(socket), "line")) as [string];
      const { value, error } = JSON.parse(line) as Answer<T>;
      if (error !== undefined) {
        throw new Error(error);
      }
      return value as T;
    } finally {
      socket.destroy();
    }
  }

  /** Call a language model tool, within `room` characters if given; returns the texts of its result. */
  invokeTool(name: string, input: object, room?: number): Promise<string[]> {
    return this.run(
      `const tokenizationOptions = given.room === undefined ? undefined : {
        tokenBudget: given.room, countTokens: (text) => Promise.resolve(text.length) };
      const { content } = await vscode.lm.invokeTool(given.name, {
        input: given.input, toolInvocationToken: undefined, tokenizationOptions });
      return content.map(({ value }) => value);`,
      { name, input, room },
    );
  }
}
