import type { Disposable } from "vscode";

import type { Outbox } from "../service/outbox.js";
import type { AsyncTask } from "../protocol.js";
import { missingRunners } from "../text/runnerWords.js";
import { messageOf } from "../util/errors.js";
import type { ServiceState, SubagentService } from "../service/service.js";
import { LastFeeds } from "./feeds.js";
import { FollowedRun } from "./followedRun.js";
import { Inbox } from "./inbox.js";
import type { RunRow } from "./listMessages.js";
import type { AttachRequest, FromWebview, Navigation, ToWebview } from "./messages.js";
import type { PanelHost } from "./panelHost.js";
import { readMessage } from "./readMessage.js";
import { RunRequests } from "./runRequests.js";
import { rowOf } from "./runRow.js";
import { TaskFeed } from "./taskFeed.js";
import type { TimedTurn } from "./turns/turnIndex.js";

/**
 * Serves one webview while its page is destroyed and created any number of times.
 *
 * Messages to a hidden page are lost, so nothing is sent between `hide` and the next `ready`.
 */
export class PanelSession implements Disposable {
  readonly #service: SubagentService;
  readonly #outbox: Outbox;
  readonly #host: PanelHost;
  readonly #requests: RunRequests;
  readonly #subscriptions: Disposable[];
  #ready = false;
  readonly #tasks = new TaskFeed((task) => {
    this.#postChange(task);
  });
  #followed: FollowedRun | undefined;
  readonly #feeds = new LastFeeds((message) => {
    this.#post(message);
  });
  readonly #inbox: Inbox;
  readonly #deliver = (message: ToWebview): void => {
    this.#post(message);
  };

  /** Sessions that follow each other in one view share an inbox. */
  constructor(service: SubagentService, outbox: Outbox, host: PanelHost, inbox = new Inbox()) {
    this.#service = service;
    this.#outbox = outbox;
    this.#host = host;
    this.#inbox = inbox;
    this.#requests = new RunRequests(service, outbox, {
      post: (message) => {
        this.#post(message);
      },
      show: (message) => {
        this.show(message);
      },
      taskChanged: (task) => {
        this.#tasks.changed(task);
      },
      pickFolder: () => host.pickFolder(),
      otherFolders: (folder) => host.otherFolders(folder),
      imagesNamed: (goal, folder) => host.imagesNamed(goal, folder),
      launchOptions: () => host.launchOptions(),
    });
    this.#subscriptions = [
      service.onDidChangeState((state) => {
        this.#stateChanged(state);
      }),
      service.onDidChangeTask((task) => {
        if (this.#ready) {
          this.#tasks.changed(task);
        }
      }),
      service.onDidRemoveTasks((ids) => {
        this.#removed(ids);
      }),
      service.onDidChangeDefinitions(() => {
        if (this.#ready) {
          void this.#sendDefinitions();
        }
      }),
      service.onDidChangeSettings(() => {
        if (this.#ready) {
          void this.#sendLimit();
        }
      }),
      service.onDidRestart(() => {
        this.#sendAll();
      }),
      host.marks.onDidChange(() => {
        this.#marksChanged();
      }),
    ];
  }

  /** Handle a message of the page; ignore invalid ones. */
  receive(raw: unknown): void {
    const message = readMessage(raw);
    if (message !== undefined) {
      void this.#handle(message);
    }
  }

  /** Make the page show something, at once or as soon as there is a page. */
  show(message: Navigation): void {
    const isLocated = this.#ready && message.type === "toQuestion";
    this.#inbox.show(isLocated ? this.#located(message) : message);
  }

  /** Say where a question is: the page may have dropped it. */
  #located(message: Extract<Navigation, { type: "toQuestion" }>): Navigation {
    const seq = this.#feeds.askedAt(message.requestId);
    return seq === undefined ? message : { ...message, seq };
  }

  /** The run that the page shows. */
  get taskId(): string | undefined {
    return this.#followed?.taskId;
  }

  /** The turns of the run that the page shows, with their times; undefined while it shows none. */
  get turns(): readonly TimedTurn[] | undefined {
    return this.#followed && this.#feeds.timed;
  }

  /** Send changed definitions, and choose the named one for the next launch. */
  async definitionsChanged(chosen?: string): Promise<void> {
    await this.#sendDefinitions();
    if (chosen !== undefined) {
      this.show({ type: "choose", subagentName: chosen });
    }
  }

  /** Send the page the settings that it depends on. */
  settingsChanged(): void {
    this.#post({ type: "settings", opensElsewhere: this.#host.opensElsewhere() });
  }

  /** Stop sending until the page's next `ready`. */
  hide(): void {
    this.#ready = false;
    this.#inbox.close(this.#deliver);
    this.#tasks.dispose();
    this.#unfollow();
  }

  dispose(): void {
    this.hide();
    for (const subscription of this.#subscriptions) {
      subscription.dispose();
    }
  }

  async #handle(message: FromWebview): Promise<void> {
    switch (message.type) {
      case "ready":
        return this.#welcome();
      case "refresh":
        return this.#sendDefinitions();
      case "follow":
        return this.#follow(message.taskId, message.afterSeq);
      case "unfollow":
        this.#unfollow();
        return;
      case "seen":
        if (message.taskId === this.#followed?.taskId) {
          this.#followed.seen();
        }
        return;
      case "page":
        return this.#requests.page(message);
      case "read":
        return this.#requests.read(message);
      case "launch":
        return this.#inbox.during(this.#requests.launch(message));
      case "noted":
        this.#inbox.noted();
        return;
      case "attach":
        return this.#attach(message);
      case "findFiles":
        return this.#findFiles(message.text);
      case "picture":
        this.#post({ ...message, version: await this.#host.pictureVersion(message.path) });
        return;
      case "cancel":
        return this.#requests.cancel(message.taskId);
      case "answer":
        return this.#requests.answer(message);
      case "reply":
        return this.#requests.reply(message);
      case "send":
        return this.#requests.send(message);
      case "forget":
        return this.#outbox.forget(message.taskId, message.text);
      case "resume":
        return this.#requests.resume(message);
      case "openFile":
      case "openDiff":
      case "openChanges":
      case "openDefinition":
      case "insertCode":
      case "applyCode":
        this.#host.open(message);
        return;
      case "act":
        this.#host.act(message.action, message.task, message);
        return;
      case "composeWith":
        this.#host.compose(message);
        return;
      case "moreHistory": // The view that holds the page answers these.
      case "useAgent":
    }
  }

  async #welcome(): Promise<void> {
    this.#unfollow();
    this.#ready = true;
    this.settingsChanged();
    this.#post({ type: "service", state: this.#service.state });
    this.#sendRuns();
    this.#inbox.open(this.#deliver);
    try {
      await this.#service.start();
    } catch {
      return; // The state reports the failure and the remedy.
    }
    this.#sendRuns();
    await this.#sendDefinitions();
  }

  #stateChanged(state: ServiceState): void {
    this.#post({ type: "service", state });
    if (state.kind === "running") {
      this.#sendAll(); // The sidecar may have been restarted, or trust may have added definitions.
    }
  }

  #sendAll(): void {
    if (!this.#ready) {
      return;
    }
    this.#sendRuns();
    void this.#sendDefinitions();
    void this.#followed?.send();
  }

  #postChange(task: AsyncTask): void {
    this.#post({ type: "run", run: this.#rowOf(task) });
    if (task.id === this.#followed?.taskId) {
      this.#followed.changed(task);
    }
  }

  #removed(ids: readonly string[]): void {
    this.#tasks.removed(ids);
    if (!this.#ready) {
      return;
    }
    this.#sendRuns();
    const taskId = this.#followed?.taskId;
    if (taskId !== undefined && ids.includes(taskId)) {
      this.#unfollow();
      this.#post({ type: "taskDeleted", taskId });
    }
  }

  #sendRuns(): void {
    const runs = [...this.#service.tasks.values()].map((task) => this.#rowOf(task));
    this.#post({ type: "runs", runs });
  }

  #rowOf(task: AsyncTask): RunRow {
    return rowOf(task, this.#host.marks.of(task.id));
  }

  #marksChanged(): void {
    if (this.#ready) {
      this.#sendRuns();
    }
    void this.#followed?.send();
  }

  async #sendDefinitions(): Promise<void> {
    try {
      const { items, problems } = await this.#service.request("subagents/list", {});
      this.#post({ type: "definitions", items, problems, missing: missingRunners(items) });
    } catch {
      // The sidecar is not running; its next start requests them again.
    }
  }

  async #follow(taskId: string, afterSeq: number): Promise<void> {
    this.#unfollow();
    const followed = new FollowedRun(taskId, afterSeq, this.#service, this.#outbox, {
      shows: (task, title) => {
        this.#host.shows(task, title);
      },
      marks: this.#host.marks,
      ...this.#feeds.of(taskId, afterSeq),
      post: (message) => {
        this.#post(message);
      },
      sendLimit: () => void this.#sendLimit(),
      restarted: () => {
        this.#post({ type: "restarted", taskId });
      },
    });
    this.#followed = followed;
    await followed.send();
    await followed.sendUndelivered();
  }

  #unfollow(): void {
    this.#followed?.dispose();
    this.#followed = undefined;
  }

  async #sendLimit(): Promise<void> {
    try {
      const { max } = await this.#service.request("asyncTasks/list", { limit: 1 });
      this.#post({ type: "limit", max });
    } catch {
      // The sidecar is not running; the task is sent again once it is back.
    }
  }

  async #attach(request: AttachRequest): Promise<void> {
    try {
      this.#post({ type: "attached", paths: await this.#host.attach(request) });
    } catch (error) {
      this.#post({ type: "attachFailed", message: messageOf(error) });
    }
  }

  async #findFiles(text: string): Promise<void> {
    await this.#host.findFiles(text, (paths) => {
      this.#post({ type: "foundFiles", text, paths });
    });
  }

  #post(message: ToWebview): void {
    if (this.#ready) {
      this.#host.post(message);
    }
  }
}
