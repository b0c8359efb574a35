// A storage, an agent directory and a client on the real sidecar, all cleaned up after each test.
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import type { AsyncTask, Settings } from "../../src/protocol.js";
import { SidecarClient, type SidecarClientOptions } from "../../src/client/sidecarClient.js";

const REPOSITORY = fileURLToPath(new URL("../../../", import.meta.url));
const PYTHON = process.env["SIDECAR_PYTHON"] ?? "python3";

/** Prints 200 numbered events, then a result. */
const COUNT = `
import json
for number in range(200):
    print(json.dumps({"type": "message", "text": f"{number},"}), flush=True)
print(json.dumps({"type": "result", "text": "counted"}), flush=True)
`;

/** Says its process id, then waits to be ended. */
const LINGER = `
import json, os, time
print(json.dumps({"type": "emit", "name": "pid", "value": os.getpid()}), flush=True)
time.sleep(300)
`;

export class Workshop {
  readonly storageRoot: string;
  readonly foreignRoot: string;
  readonly workspace: string;
  readonly options: SidecarClientOptions;
  readonly client: SidecarClient;
  readonly log: string[] = [];
  readonly #config: string;

  private constructor(
    private readonly base: string,
    isShared: boolean,
  ) {
    this.#config = path.join(base, "config.toml");
    const how = isShared ? ["--config", this.#config] : ["--in-process"];
    this.storageRoot = path.join(base, "own");
    this.foreignRoot = path.join(base, "foreign");
    this.workspace = path.join(base, "workspace");
    this.options = {
      command: {
        program: PYTHON,
        args: ["-m", "sidecar", "serve", ...how, "--storage-root", this.storageRoot],
        cwd: REPOSITORY,
        env: { ...process.env, PYTHONPATH: REPOSITORY },
      },
      initialize: () => ({
        clientInfo: { name: "integration" },
        foreignRoots: [this.foreignRoot],
        workspaceFolders: [this.workspace],
        workspaceTrusted: true,
        settings: this.settings(),
      }),
      restart: { baseMs: 50 },
      log: (level, message) => this.log.push(`${level}: ${message}`),
    };
    this.client = new SidecarClient(this.options);
  }

  /** Open a workshop whose clients share a Host, or have a sidecar each. */
  static async open({ isShared = false } = {}): Promise<Workshop> {
    const workshop = new Workshop(await mkdtemp(path.join(tmpdir(), "sidecar-client-")), isShared);
    await writeFile(workshop.#config, "[host]\nidleSeconds = 0\n");
    await mkdir(workshop.workspace);
    await workshop.writeDefinition("counter", COUNT);
    await workshop.writeDefinition("lingerer", LINGER);
    return workshop;
  }

  async close(): Promise<void> {
    await this.client.stop();
    await this.#stopHost();
    await rm(this.base, { recursive: true, force: true });
  }

  /** Stop the Host that the clients shared, if there is one. */
  async #stopHost(): Promise<void> {
    const args = ["host", "stop", "--cancel-running", "--storage-root", this.storageRoot];
    const { cwd, env } = this.options.command;
    await promisify(execFile)(PYTHON, ["-m", "sidecar", ...args], { cwd, env });
  }

  /** Write a finished task as Cline and its kin store it. */
  async writeTask(id: string, title: string): Promise<void> {
    const folder = path.join(this.foreignRoot, "tasks", id);
    const ui = [
      { ts: 1_700_000_000_000, type: "say", say: "text", text: title },
      { ts: 1_700_000_060_000, type: "say", say: "completion_result", text: "Done." },
    ];
    const api = [
      { role: "user", content: [{ type: "text", text: title }], ts: 1_700_000_000_000 },
      { role: "assistant", content: [{ type: "text", text: "Done." }], ts: 1_700_000_060_000 },
    ];
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, "ui_messages.json"), JSON.stringify(ui));
    await writeFile(path.join(folder, "api_conversation_history.json"), JSON.stringify(api));
  }

  async launch(subagentName: string): Promise<AsyncTask> {
    const params = { subagentName, goalPrompt: `Be a ${subagentName}.` };
    return (await this.client.request("asyncTasks/launch", params)).task;
  }

  private async writeDefinition(name: string, script: string): Promise<void> {
    const agents = path.join(this.base, "agents");
    await mkdir(agents, { recursive: true });
    const head = `---\nname: ${name}\ndescription: A ${name}.\nrunner: ${name}\n---\n`;
    await writeFile(path.join(agents, `${name}.md`), `${head}Work.\n`);
    await writeFile(path.join(agents, `${name}.py`), script);
  }

  private settings(): Settings {
    const runner = (name: string) => ({
      type: "command" as const,
      command: [PYTHON, path.join(this.base, "agents", `${name}.py`)],
      format: "events" as const,
    });
    return {
      agents: { directories: [path.join(this.base, "agents")] },
      runners: { counter: runner("counter"), lingerer: runner("lingerer") },
    };
  }
}

/** Whether a process of this id runs; one that only waits to be reaped does not. */
export function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const status = `/proc/${pid}/status`;
  return !existsSync(status) || !readFileSync(status, "utf8").includes("State:\tZ");
}
