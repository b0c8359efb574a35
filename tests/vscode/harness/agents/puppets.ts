import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";

import type { Profile } from "../profile.ts";
import { until, within } from "../waiting.ts";

const AGENT = join(import.meta.dirname, "../../agent.py");

/** A running subagent in the hand of a test. */
export class Puppet {
  /** What the runner gave it on stdin, and where it was started. */
  readonly greeting: { readonly prompt: string; readonly folder: string };
  /** Resolves when its process has ended, whoever ended it. */
  readonly gone: Promise<unknown>;
  readonly #socket: Socket;

  constructor(socket: Socket, greeting: Puppet["greeting"]) {
    this.#socket = socket;
    this.greeting = greeting;
    this.gone = socket.closed ? Promise.resolve() : once(socket, "close");
  }

  say(text: string): void {
    this.#send({ type: "message", text });
  }

  useTool(name: string, status: "started" | "completed"): void {
    this.#send({ type: "tool", name, status });
  }

  /** Reach the goal with this result. */
  finish(text: string): void {
    this.#send({ type: "result", text });
    this.#socket.end();
  }

  #send(event: object): void {
    this.#socket.write(`${JSON.stringify(event)}\n`);
  }
}

/** Listens for the puppets that the sidecar under test starts. */
export class Puppets {
  readonly #server: Server;
  readonly #address: string;
  readonly #waiting: Puppet[] = [];

  private constructor(server: Server, address: string) {
    this.#server = server;
    this.#address = address;
    server.on("connection", (socket) => {
      socket.on("error", () => undefined); // a killed puppet resets its connection
      const lines = createInterface(socket);
      void this.#welcome(socket, lines);
    });
  }

  static async listen(address: string): Promise<Puppets> {
    const server = createServer();
    server.listen(address);
    await within("listening for subagents", once(server, "listening"));
    return new Puppets(server, address);
  }

  /** The command of a runner that starts one. */
  get command(): string[] {
    return ["python3", AGENT, this.#address];
  }

  /** The next puppet that was started and is not taken yet. */
  async next(): Promise<Puppet> {
    await until(
      "started",
      () => this.#waiting.length,
      (count) => count > 0,
    );
    const [puppet] = this.#waiting.splice(0, 1);
    if (puppet === undefined) {
      throw new Error("two steps wait for a puppet at once");
    }
    return puppet;
  }

  close(): void {
    this.#server.close();
  }

  async #welcome(socket: Socket, lines: Interface): Promise<void> {
    const [line] = (await once(lines, "line")) as [string];
    this.#waiting.push(new Puppet(socket, JSON.parse(line) as Puppet["greeting"]));
  }
}

/** The name of the definition that every launch in these tests is of. */
export const PUPPET = "surveyor";
/** The name of its runner. */
export const PUPPET_RUNNER = "counters";

/** Define a subagent that the test speaks for, as a user would: a file in the workspace and a runner. */
export async function definePuppet(
  profile: Profile,
  puppets: Puppets,
  more: Record<string, unknown> = {},
): Promise<void> {
  const definition = [
    "---",
    `name: ${PUPPET}`,
    "description: Counts what you ask for.",
    `runner: ${PUPPET_RUNNER}`,
    "---",
    "Do as you are asked.",
    "",
  ];
  await profile.addFile(`.sidecar/agents/${PUPPET}.md`, definition.join("\n"));
  await profile.configure({
    "subagentSidecar.runners": {
      [PUPPET_RUNNER]: { type: "command", format: "events", command: puppets.command },
    },
    ...more,
  });
}
