import type { Disposable, Event } from "vscode";

import { messageOf } from "../util/errors.js";
import type { Mark } from "../marks/marks.js";
import type { Outbox } from "../service/outbox.js";
import type { AsyncTask, FileAction, TaskEvent } from "../protocol.js";
import { missingRunners } from "../text/runnerWords.js";
import type { ServiceState, SubagentService } from "../service/service.js";
import { signInCommandsFor } from "../signIn/lookup.js";
import { isLive } from "../text/outcome.js";
import { takesMessages } from "../text/speaking.js";
import { EventFeed } from "./eventFeed.js";
import { eventsAfter, eventsBefore } from "./eventPages.js";
import {
  type Action,
  type FromWebview,
  type OpenRequest,
  readMessage,
  type Navigation,
  type RunRow,
  type ToWebview,
} from "./messages.js";
import { pageTask } from "./pageTask.js";
import { RunRequests } from "./runRequests.js";
import { rowOf } from "./runRow.js";
import { TaskFeed } from "./taskFeed.js";
import type { TaskRef } from "../taskRef.js";

/** How many runs the page lists; older ones are in the task history. */
const LISTED_RUNS = 200;

/** What the user notes about runs and stored tasks, by the ids that pages know. */
export interface PageMarks {
  of(taskId: string): Mark;
  readonly onDidChange: Event<void>;
}

/** What a session needs of the window. */
export interface PanelHost {
  post(message: ToWebview): void;
  act(action: Action, task: TaskRef | undefined): void;
  open(open: OpenRequest): void;
  /** The folder a run works in; undefined if the user chooses none. */
  pickFolder(): Promise<string | undefined>;
  /** What a launch requests over the limit, unless the user decides. */
  launchOptions(): { overLimit?: "queue" };
  /** Whether runs that the page names open in another page. */
  opensElsewhere(): boolean;
  /** Find files of the open folders that a text may mean; paths as the user would write them. */
  findFiles(text: string): Promise<readonly string[]>;
  /** Show runs next to each other, if they are shown in editors. */
  compare(taskIds: readonly string[]): Promise<void>;
  /** Fill the composer of another page. */
  compose(draft: { readonly goal: string; readonly subagentName?: string }): void;
  /** Take each state of the run that the page shows, and what the user calls it. */
  shows(task: AsyncTask, title: string | undefined): void;
  readonly marks: PageMarks;
}

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
  #followed: { taskId: string; feed: EventFeed; subscription: Disposable } | undefined;
  #pending: Navigation | undefined;

  constructor(service: SubagentService, outbox: Outbox, host: PanelHost) {
    this.#service = service;
    this.#outbox = outbox;
    this.#host = host;
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
      compare: (taskIds) => host.compare(taskIds),
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
    if (this.#ready) {
      this.#post(message);
    } else {
      this.#pending = message;
    }
  }

  /** Send changed definitions, and choose the named one for the next launch. */
  async definitionsChanged(chosen?: string): Promise<void> {
    await this.#sendDefinitions();
    if (chosen !== undefined) {
      this.show({ type: "choose", subagentName: chosen });
    }
  }

  /** Tell the page about settings that it depends on. */
  settingsChanged(): void {
    this.#post({ type: "settings", opensElsewhere: this.#host.opensElsewhere() });
  }

  /** Stop sending until the page's next `ready`. */
  hide(): void {
    this.#ready = false;
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
          this.#followed.feed.seen();
        }
        return;
      case "page":
        return this.#sendPage(message);
      case "launch":
        return this.#requests.launch(message);
      case "findFiles":
        return this.#findFiles(message.text);
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
        this.#host.open(message);
        return;
      case "act":
        this.#host.act(message.action, message.task);
        return;
      case "composeWith":
        this.#host.compose(message);
        return;
      case "moreHistory": // The view that holds the page answers this.
    }
  }

  async #welcome(): Promise<void> {
    this.#unfollow();
    this.#ready = true;
    this.settingsChanged();
    this.#post({ type: "service", state: this.#service.state });
    this.#sendRuns();
    if (this.#pending !== undefined) {
      this.#post(this.#pending);
      this.#pending = undefined;
    }
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
    if (this.#followed !== undefined) {
      void this.#sendTask(this.#followed.taskId);
    }
  }

  #postChange(task: AsyncTask): void {
    this.#post({ type: "run", run: this.#rowOf(task) });
    if (task.id === this.#followed?.taskId) {
      this.#postTask(task);
      void this.#sendFiles(task);
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
    const tasks = [...this.#service.tasks.values()].slice(0, LISTED_RUNS);
    this.#post({ type: "runs", runs: tasks.map((task) => this.#rowOf(task)) });
  }

  #rowOf(task: AsyncTask): RunRow {
    return rowOf(task, this.#host.marks.of(task.id));
  }

  #marksChanged(): void {
    if (this.#ready) {
      this.#sendRuns();
    }
    if (this.#followed !== undefined) {
      void this.#sendTask(this.#followed.taskId);
    }
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
    const feed = new EventFeed((batch) => {
      this.#post({ type: "events", taskId, ...batch });
    });
    const subscription = this.#service.follow(taskId, afterSeq, (events) => {
      feed.take(events);
      void this.#outbox.take(taskId, events);
    });
    this.#followed = { taskId, feed, subscription };
    await this.#sendTask(taskId);
    await this.#sendUndelivered(taskId);
  }

  async #sendUndelivered(taskId: string): Promise<void> {
    try {
      const texts = await this.#outbox.undelivered(taskId);
      if (texts.length > 0) {
        this.#post({ type: "undelivered", taskId, texts });
      }
    } catch {
      // The task does not exist, which the other request reports.
    }
  }

  #unfollow(): void {
    this.#followed?.subscription.dispose();
    this.#followed = undefined;
  }

  async #sendPage({ taskId, side, seq }: Extract<FromWebview, { type: "page" }>): Promise<void> {
    const read = side === "before" ? eventsBefore : eventsAfter;
    let events: TaskEvent[] = [];
    try {
      events = await read(this.#service, taskId, seq);
    } catch (error) {
      this.#post({ type: "taskMissing", taskId, message: messageOf(error) });
    }
    this.#post({ type: "page", taskId, side, seq, events });
  }

  async #sendTask(taskId: string): Promise<void> {
    try {
      const { task } = await this.#service.request("asyncTasks/get", { taskId });
      this.#postTask(task);
      await this.#sendFiles(task);
    } catch (error) {
      this.#post({ type: "taskMissing", taskId, message: messageOf(error) });
    }
  }

  /** Send what an ended run changed. */
  async #sendFiles({ id: taskId, status }: AsyncTask): Promise<void> {
    if (isLive({ status })) {
      return;
    }
    try {
      const { files } = await this.#service.request("tasks/files", { taskId });
      const changed = files.filter(({ actions }) => actions.some(isChange));
      this.#post({ type: "files", taskId, files: changed });
    } catch {
      // The stored task is gone; the run itself still shows its result.
    }
  }

  async #sendLimit(): Promise<void> {
    try {
      const { max } = await this.#service.request("asyncTasks/list", { limit: 1 });
      this.#post({ type: "limit", max });
    } catch {
      // The sidecar is not running; the task is sent again once it is back.
    }
  }

  async #findFiles(text: string): Promise<void> {
    this.#post({ type: "foundFiles", text, paths: await this.#host.findFiles(text) });
  }

  #postTask(task: AsyncTask): void {
    if (task.status === "queued") {
      void this.#sendLimit();
    }
    const { title } = this.#host.marks.of(task.id);
    this.#host.shows(task, title);
    const may = takesMessages(this.#service, task);
    const named = title === undefined ? {} : { title };
    this.#post({ type: "task", task: pageTask(task), takesMessages: may, ...named });
    void this.#sendSignIn(task);
  }

  async #sendSignIn(task: AsyncTask): Promise<void> {
    try {
      const commands = await signInCommandsFor(this.#service, task);
      if (commands !== undefined) {
        this.#post({ type: "signIn", taskId: task.id, commands });
      }
    } catch {
      // The sidecar is not running; the task is sent again once it is back.
    }
  }

  #post(message: ToWebview): void {
    if (this.#ready) {
      this.#host.post(message);
    }
  }
}

function isChange(action: FileAction): boolean {
  return action !== "read" && action !== "mentioned";
}
