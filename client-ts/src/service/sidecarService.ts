import * as vscode from "vscode";

import { coalesced } from "../util/coalesce.js";
import { messageOf, SidecarUnavailableError } from "../util/errors.js";
import { Feeds } from "../client/feeds.js";
import type {
  AsyncTask,
  InitializeResult,
  Requests,
  Settings,
  TasksDidChange,
} from "../protocol.js";
import type { RunEvent, ServiceState, SubagentService } from "./service.js";
import { environmentDamage } from "../setup/failures.js";
import type { SidecarClient, SidecarClientOptions } from "../client/sidecarClient.js";
import type { SidecarCommand } from "../client/sidecarProcess.js";
import type { ClientState } from "../client/supervisor.js";
import { TaskTable } from "../text/taskTable.js";
import { type Limits, WriteAccess } from "./writeAccess.js";

/** What the service needs of the window around it. */
export interface ServiceOptions {
  /** Set up what the sidecar runs in; rejects with words for a person. */
  readonly prepare: (report: (message: string) => void) => Promise<SidecarCommand>;
  readonly initialize: SidecarClientOptions["initialize"];
  readonly log: NonNullable<SidecarClientOptions["log"]>;
  readonly isTrusted: () => boolean;
}

const TASKS = 200;

/** The window's sidecar: set up, started, kept current, and shared by all views. */
export class SidecarService implements SubagentService, vscode.Disposable {
  /** End the sidecar if it runs and start it anew; calls during a restart share one more. */
  readonly restart = coalesced(() => this.#restart());
  readonly #options: ServiceOptions;
  readonly #table = new TaskTable();
  readonly #states = new vscode.EventEmitter<ServiceState>();
  readonly #changedTasks = new vscode.EventEmitter<AsyncTask>();
  readonly #history = new vscode.EventEmitter<TasksDidChange>();
  readonly #definitions = new vscode.EventEmitter<void>();
  readonly #restarts = new vscode.EventEmitter<void>();
  readonly #feeds: Feeds;
  readonly #access = new WriteAccess({
    test: () => this.#testWriting(),
    changed: (limits) => {
      this.#accessChanged(limits);
    },
    failed: (error) => {
      this.#options.log("warning", `Waiting for the storage: ${messageOf(error)}`);
    },
  });
  #state: ServiceState = { kind: "idle" };
  #client: SidecarClient | undefined;
  #info: InitializeResult | undefined;
  #starting: Promise<void> | undefined;
  /** What the end of the client means: a stop, a restart under way, or damage that was found. */
  #afterStop: ServiceState = { kind: "idle" };

  readonly onDidChangeState = this.#states.event;
  readonly onDidChangeTask = this.#changedTasks.event;
  readonly onDidChangeHistory = this.#history.event;
  readonly onDidChangeDefinitions = this.#definitions.event;
  readonly onDidRestart = this.#restarts.event;

  constructor(options: ServiceOptions) {
    this.#options = options;
    this.#feeds = new Feeds({
      subscribe: (taskId, afterSeq) => this.request("asyncTasks/subscribe", { taskId, afterSeq }),
      unsubscribe: (taskId) => this.#ask("asyncTasks/unsubscribe", { taskId }),
      failed: (taskId, error) => {
        options.log("warning", `Following ${taskId}: ${messageOf(error)}`);
      },
    });
  }

  get state(): ServiceState {
    return this.#state;
  }

  get tasks(): ReadonlyMap<string, AsyncTask> {
    return this.#table.tasks;
  }

  /** What the running sidecar said of itself, for diagnostics. */
  get info(): InitializeResult | undefined {
    return this.#info;
  }

  /** The process id of the running sidecar, for diagnostics. */
  get pid(): number | undefined {
    return this.#client?.pid;
  }

  start(): Promise<void> {
    if (isAnswering(this.#state)) {
      return Promise.resolve();
    }
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async request<M extends keyof Requests>(
    method: M,
    params: Requests[M]["params"],
  ): Promise<Requests[M]["result"]> {
    if (this.#state.kind === "failed") {
      throw new SidecarUnavailableError(this.#state.message ?? "The sidecar has failed.");
    }
    await this.start();
    return this.#ask(method, params);
  }

  follow(
    taskId: string,
    afterSeq: number,
    onEvents: (events: RunEvent[]) => void,
  ): vscode.Disposable {
    return vscode.Disposable.from(this.#feeds.follow(taskId, afterSeq, onEvents));
  }

  /** Tell the sidecar that the user trusts the workspace now. */
  async grantTrust(): Promise<void> {
    if (isAnswering(this.#state)) {
      await this.#client?.notify("workspace/didGrantTrust", {});
      this.#enter({ ...this.#state, kind: "running" });
    }
  }

  /** Put changed settings in force; a sidecar that is not running gets them at its start. */
  async updateSettings(settings: Settings): Promise<void> {
    if (isAnswering(this.#state)) {
      await this.#ask("settings/update", { settings });
    }
  }

  /** Stop the sidecar and wait until its process is gone. */
  async stop(): Promise<void> {
    this.#access.stop();
    await this.#client?.stop();
  }

  dispose(): void {
    void this.stop();
    this.#states.dispose();
    this.#changedTasks.dispose();
    this.#history.dispose();
    this.#definitions.dispose();
    this.#restarts.dispose();
  }

  async #start(): Promise<void> {
    if (this.#state.kind !== "restarting") {
      const client = await this.#prepareClient();
      await client.start().catch(() => undefined); // The state tells why, in words for a person.
    }
    await this.#settled();
  }

  async #restart(): Promise<void> {
    await this.#starting?.catch(() => undefined);
    const client = await this.#prepareClient();
    this.#afterStop = { kind: "restarting", message: "The sidecar is started again." };
    await client.restart().catch(() => undefined);
    await this.#settled();
  }

  async #prepareClient(): Promise<SidecarClient> {
    const { initialize, log } = this.#options;
    this.#afterStop = { kind: "idle" };
    try {
      const command = await this.#options.prepare((message) => {
        this.#enter({ kind: "settingUp", message });
      });
      // Loaded when first needed: with all that it stands on it would hold up the activation.
      const { SidecarClient } = await import("../client/sidecarClient.js");
      this.#client ??= this.#listenTo(new SidecarClient({ command, initialize, log }));
      return this.#client;
    } catch (error) {
      this.#enter({ kind: "failed", message: messageOf(error) });
      throw error;
    }
  }

  #listenTo(client: SidecarClient): SidecarClient {
    client.onState((state) => {
      this.#clientEntered(state);
    });
    client.onNotification("asyncTasks/didChange", ({ task }) => {
      this.#table.put(task);
      this.#changedTasks.fire(task);
    });
    client.onNotification("asyncTasks/didOutput", (output) => {
      this.#feeds.deliver(output);
    });
    client.onNotification("tasks/didChange", (change) => {
      this.#history.fire(change);
    });
    client.onNotification("subagents/didChange", () => {
      this.#definitions.fire();
    });
    return client;
  }

  #clientEntered(state: ClientState): void {
    this.#access.stop();
    switch (state.kind) {
      case "running":
        void this.#greeted(state.info);
        break;
      case "restarting":
        this.#crashed(state.reason, state.inMs);
        break;
      case "failed":
        this.#enter({ kind: "failed", message: state.reason });
        break;
      case "starting":
        this.#enter({ kind: "starting" });
        break;
      case "stopped":
        this.#enter(this.#afterStop);
    }
  }

  /** Wait for the next try, unless it would end the same: what is missing does not come back. */
  #crashed(reason: string, inMs: number): void {
    const damage = environmentDamage(reason);
    if (damage === undefined) {
      const seconds = Math.ceil(inMs / 1000);
      const message = `The sidecar ${reason}. It is started again in ${seconds} s.`;
      this.#enter({ kind: "restarting", message });
    } else {
      this.#afterStop = { kind: "failed", message: damage };
      void this.#client?.stop();
    }
  }

  /** Catch up with a sidecar that has just started, then let everyone ask. */
  async #greeted(info: InitializeResult): Promise<void> {
    const isFirst = this.#info === undefined;
    this.#info = info;
    try {
      const limits = await this.#access.begin();
      this.#enter({ kind: this.#options.isTrusted() ? "running" : "untrusted", ...limits });
    } catch (error) {
      this.#options.log("error", `Reading the subagents: ${messageOf(error)}`);
      return; // The connection ended, which is a state of its own.
    }
    if (!isFirst) {
      this.#renewViews();
    }
  }

  /** Have everyone read again what may have changed unseen. */
  #renewViews(): void {
    this.#feeds.resubscribe();
    this.#history.fire({ revision: 0, added: [], changed: [], removed: [] });
    this.#restarts.fire();
  }

  /** Read the tasks. Setting the limit to its present value tests whether it can write, without effect. */
  async #testWriting(): Promise<void> {
    const { items, max } = await this.#ask("asyncTasks/list", { limit: TASKS });
    for (const task of this.#table.replace(items)) {
      this.#changedTasks.fire(task);
    }
    await this.#ask("asyncTasks/setMax", { max });
  }

  #accessChanged(limits: Limits): void {
    this.#enter({ kind: this.#state.kind, ...limits });
    if (limits.message === undefined) {
      this.#renewViews();
    }
  }

  async #ask<M extends keyof Requests>(
    method: M,
    params: Requests[M]["params"],
  ): Promise<Requests[M]["result"]> {
    if (this.#client === undefined) {
      throw new SidecarUnavailableError(`${method}: the sidecar is not started`);
    }
    return this.#client.request(method, params);
  }

  /** Wait until the sidecar answers, or does not for good. */
  #settled(): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (state: ServiceState): void => {
        if (isAnswering(state)) {
          subscription.dispose();
          resolve();
        } else if (state.kind === "failed" || state.kind === "idle") {
          subscription.dispose();
          reject(new SidecarUnavailableError(state.message ?? "The sidecar was stopped."));
        }
      };
      const subscription = this.#states.event(settle);
      settle(this.#state);
    });
  }

  #enter(state: ServiceState): void {
    if (state.kind !== this.#state.kind || state.message !== this.#state.message) {
      this.#state = state;
      this.#states.fire(state);
    }
  }
}

/** Whether the sidecar answers requests in this state. */
export function isAnswering(state: ServiceState): boolean {
  return state.kind === "running" || state.kind === "untrusted";
}
