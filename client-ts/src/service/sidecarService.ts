import * as vscode from "vscode";

import type { SidecarClient, SidecarClientOptions } from "../client/sidecarClient.js";
import type { RequestHandler } from "../client/handlers.js";
import type { SidecarCommand } from "../client/sidecarProcess.js";
import { isAnswering, type ReportSetup, type SidecarState } from "../client/state.js";
import type { AsyncTask, InitializeResult, Requests } from "../protocol.js";
import { environmentDamage, SetupError } from "../setup/failures.js";
import * as strings from "../text/strings.js";
import { coalesced } from "../util/coalesce.js";
import { messageOf, SidecarUnavailableError } from "../util/errors.js";
import type { RunEvent, SubagentService } from "./service.js";
import { knownRuns } from "../runs/runPages.js";
import { pickSettings } from "./settings.js";
import { SidecarEvents } from "./sidecarEvents.js";
import { type Limits, WriteAccess } from "./writeAccess.js";

/** What the service needs of the window around it. */
export interface ServiceOptions {
  /**
   * Set up what the sidecar runs in. Resolves with a function that returns what to run, for each start;
   * rejects with a message for a person.
   */
  readonly prepare: (report: ReportSetup) => Promise<() => SidecarCommand>;
  readonly initialize: SidecarClientOptions["initialize"];
  readonly log: NonNullable<SidecarClientOptions["log"]>;
  readonly isTrusted: () => boolean;
  /** Receives why settings that all windows share were refused. */
  readonly settingsRefused: (error: Error) => void;
  /** Answers whether the agent starts a turn with a reminder; without it, the sidecar stops asking. */
  readonly turnRequested?: RequestHandler<"agent/triggerTurn">;
}

/** The window's connection to the sidecar: set up, started, kept up to date, and shared by all views. */
export class SidecarService implements SubagentService, vscode.Disposable {
  /** Stop the sidecar if it runs and start it again; calls during a restart share one more. */
  readonly restart = coalesced(() => this.#restart());
  readonly #options: ServiceOptions;
  readonly #states = new vscode.EventEmitter<SidecarState>();
  readonly #events: SidecarEvents;
  readonly #access = new WriteAccess({
    test: () => this.#testWriting(),
    changed: (limits) => {
      this.#accessChanged(limits);
    },
    failed: (error) => {
      this.#options.log("warning", `Waiting for the storage: ${messageOf(error)}`);
    },
  });
  #state: SidecarState = { kind: "idle" };
  #client: SidecarClient | undefined;
  #command: () => SidecarCommand = () => ({ program: "", args: [] });
  #info: InitializeResult | undefined;
  #starting: Promise<void> | undefined;

  readonly onDidChangeState = this.#states.event;

  constructor(options: ServiceOptions) {
    this.#options = options;
    this.#events = new SidecarEvents({
      subscribe: (taskId, afterSeq) => this.request("asyncTasks/subscribe", { taskId, afterSeq }),
      unsubscribe: (taskId) => this.#ask("asyncTasks/unsubscribe", { taskId }),
      failed: (taskId, error) => {
        options.log("warning", `Following ${taskId}: ${messageOf(error)}`);
      },
    });
  }

  get state(): SidecarState {
    return this.#state;
  }

  get tasks(): ReadonlyMap<string, AsyncTask> {
    return this.#events.tasks;
  }

  get onDidChangeTask() {
    return this.#events.onDidChangeTask;
  }

  get onDidRemoveTasks() {
    return this.#events.onDidRemoveTasks;
  }

  get onDidChangeHistory() {
    return this.#events.onDidChangeHistory;
  }

  get onDidChangeDefinitions() {
    return this.#events.onDidChangeDefinitions;
  }

  get onDidChangeSettings() {
    return this.#events.onDidChangeSettings;
  }

  get onDidRestart() {
    return this.#events.onDidRestart;
  }

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
    token?: vscode.CancellationToken,
  ): Promise<Requests[M]["result"]> {
    if (this.#state.kind === "failed") {
      throw new SidecarUnavailableError(this.#state.message ?? strings.sidecar.failed);
    }
    await this.start();
    return this.#ask(method, params, token);
  }

  follow(
    taskId: string,
    afterSeq: number,
    onEvents: (events: RunEvent[]) => void,
  ): vscode.Disposable {
    return vscode.Disposable.from(this.#events.feeds.follow(taskId, afterSeq, onEvents));
  }

  /** Notify the sidecar that the user trusts the workspace. */
  async grantTrust(): Promise<void> {
    if (isAnswering(this.#state)) {
      await this.#client?.notify("workspace/didGrantTrust", {});
      this.#enter({ ...this.#state, kind: "running" });
    }
  }

  /** Notify the sidecar that the editor's model begins or ends a turn. */
  async setAgentBusy(busy: boolean): Promise<void> {
    if (isAnswering(this.#state)) {
      await this.#client?.notify("agent/setBusy", { busy });
    }
  }

  /**
   * Apply changed settings; null removes one. A sidecar that is not running gets what is set when
   * it starts.
   */
  async updateSettings(settings: Readonly<Record<string, unknown>>): Promise<void> {
    if (isAnswering(this.#state)) {
      await this.#ask("settings/update", { settings });
      if ("runners" in settings) {
        await this.#readRunners();
        this.#events.runnersChanged();
      }
    }
  }

  /** Stop the sidecar and wait until its process has ended. */
  async stop(): Promise<void> {
    this.#access.stop();
    await this.#client?.stop();
  }

  /** Stop the sidecar during setup, which starts it again; until then, requests wait. */
  async disconnect(): Promise<void> {
    this.#access.stop();
    await this.#client?.stop();
  }

  dispose(): void {
    void this.stop();
    this.#states.dispose();
    this.#events.dispose();
  }

  async #start(): Promise<void> {
    if (this.#state.kind !== "restarting") {
      const client = await this.#prepareClient();
      await client.start().catch(() => undefined); // The state reports the failure.
    }
    await this.#settled();
  }

  async #restart(): Promise<void> {
    while (this.#starting !== undefined) {
      await this.#starting.catch(() => undefined);
    }
    this.#starting = this.#startAgain().finally(() => {
      this.#starting = undefined;
    });
    await this.#starting;
  }

  async #startAgain(): Promise<void> {
    const client = await this.#prepareClient();
    await client.restart().catch(() => undefined);
    await this.#settled();
  }

  async #prepareClient(): Promise<SidecarClient> {
    try {
      this.#command = await this.#options.prepare((message, step) => {
        this.#enter({ kind: "settingUp", message, ...(step === undefined ? {} : { step }) });
      });
      this.#client ??= await this.#newClient(() => this.#command());
      return this.#client;
    } catch (error) {
      const cause = error instanceof Error ? (error.cause ?? error) : error;
      const needsPython = cause instanceof SetupError && cause.needsPython;
      const remedy = needsPython ? { needsPython } : {};
      this.#enter({ kind: "failed", message: messageOf(error), ...remedy });
      throw error;
    }
  }

  /** Create the client; it runs what `command` returns at each start. */
  async #newClient(command: () => SidecarCommand): Promise<SidecarClient> {
    const { initialize, log } = this.#options;
    // Loaded when first needed: the client and its dependencies would slow down activation.
    const { SidecarClient } = await import("../client/sidecarClient.js");
    const client = new SidecarClient({
      ...{ initialize, log, explainFatal: environmentDamage },
      get command() {
        return command();
      },
    });
    client.onState((state) => {
      this.#clientEntered(client, state);
    });
    const { turnRequested } = this.#options;
    if (turnRequested !== undefined) {
      client.onRequest("agent/triggerTurn", turnRequested);
    }
    this.#events.listenTo(client);
    this.#events.onDidChangeSettings(() => {
      this.#readRunners().catch(() => undefined); // The next start reads them.
    });
    return client;
  }

  #clientEntered({ info }: SidecarClient, state: SidecarState): void {
    this.#access.stop();
    if (state.kind === "idle" && this.#state.kind === "settingUp") {
      return; // Setup disconnected it and starts it again.
    }
    if (state.kind === "running" && info !== undefined) {
      void this.#started(info);
    } else {
      this.#enter(state);
    }
  }

  /** Catch up with a sidecar that has just started, then let everyone send requests. */
  async #started(info: InitializeResult): Promise<void> {
    const isFirst = this.#info === undefined;
    this.#info = info;
    try {
      await this.#shareSettings(info.ignoredSettings ?? []);
      const limits = await this.#access.begin();
      this.#enter({ kind: this.#options.isTrusted() ? "running" : "untrusted", ...limits });
    } catch (error) {
      this.#options.log("error", `Reading the subagents: ${messageOf(error)}`);
      return; // The connection ended, which is a state of its own.
    }
    if (!isFirst) {
      this.#events.renew();
    }
  }

  /** Send the settings that concern all windows, which `initialize` does not change. */
  async #shareSettings(names: readonly string[]): Promise<void> {
    if (names.length === 0) {
      return;
    }
    const settings = { ...pickSettings(this.#options.initialize().settings ?? {}, names) };
    try {
      await this.#ask("settings/update", { settings });
      await this.#readRunners();
    } catch (error) {
      if (!(error instanceof Error) || error instanceof SidecarUnavailableError) {
        throw error;
      }
      this.#options.settingsRefused(error);
    }
  }

  /** Read the runners again: the answer of `initialize` has those from before the shared settings. */
  async #readRunners(): Promise<void> {
    const { items: runners } = await this.#ask("runners/list", {});
    this.#info &&= { ...this.#info, runners };
  }

  /** Read the tasks. Archiving none tests write access without effect. */
  async #testWriting(): Promise<void> {
    await this.#events.readTasks(knownRuns((params) => this.#ask("asyncTasks/list", params)));
    await this.#ask("tasks/archive", { taskIds: [] });
  }

  #accessChanged(limits: Limits): void {
    this.#enter({ kind: this.#state.kind, ...limits });
    if (limits.message === undefined) {
      this.#events.renew();
    }
  }

  async #ask<M extends keyof Requests>(
    method: M,
    params: Requests[M]["params"],
    token?: vscode.CancellationToken,
  ): Promise<Requests[M]["result"]> {
    if (this.#client === undefined) {
      throw new SidecarUnavailableError(strings.sidecar.unavailable(method));
    }
    return this.#client.request(method, params, token);
  }

  /** Wait until the sidecar answers, or has failed or stopped. */
  #settled(): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (state: SidecarState): void => {
        if (isAnswering(state)) {
          subscription.dispose();
          resolve();
        } else if (state.kind === "failed" || state.kind === "idle") {
          subscription.dispose();
          reject(new SidecarUnavailableError(state.message ?? strings.sidecar.stopped));
        }
      };
      const subscription = this.#states.event(settle);
      settle(this.#state);
    });
  }

  #enter(state: SidecarState): void {
    if (state.kind !== this.#state.kind || state.message !== this.#state.message) {
      this.#state = state;
      this.#states.fire(state);
    }
  }
}
