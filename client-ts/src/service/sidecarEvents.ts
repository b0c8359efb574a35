import * as vscode from "vscode";

import { Feeds, type FeedSource } from "../client/feeds.js";
import type { SidecarClient } from "../client/sidecarClient.js";
import type { AsyncTask, TasksDidChange } from "../protocol.js";
import { TaskTable } from "../runs/taskTable.js";

/** What the sidecar reports, as events of the editor; continues across restarts. */
export class SidecarEvents implements vscode.Disposable {
  readonly feeds: Feeds;
  readonly #table = new TaskTable();
  readonly #tasks = new vscode.EventEmitter<AsyncTask>();
  readonly #removals = new vscode.EventEmitter<readonly string[]>();
  readonly #history = new vscode.EventEmitter<TasksDidChange>();
  readonly #definitions = new vscode.EventEmitter<void>();
  readonly #settings = new vscode.EventEmitter<void>();
  readonly #restarts = new vscode.EventEmitter<void>();

  readonly onDidChangeTask = this.#tasks.event;
  readonly onDidRemoveTasks = this.#removals.event;
  readonly onDidChangeHistory = this.#history.event;
  readonly onDidChangeDefinitions = this.#definitions.event;
  readonly onDidChangeSettings = this.#settings.event;
  readonly onDidRestart = this.#restarts.event;

  constructor(source: FeedSource) {
    this.feeds = new Feeds(source);
  }

  /** The newest async tasks by id, newest launch first. */
  get tasks(): ReadonlyMap<string, AsyncTask> {
    return this.#table.tasks;
  }

  /** Report that other runners may be available, so that definitions may be, too. */
  runnersChanged(): void {
    this.#definitions.fire();
  }

  /** Pass on what a client is notified of. */
  listenTo(client: SidecarClient): void {
    client.onNotification("asyncTasks/didChange", ({ task }) => {
      this.#table.put(task);
      this.#tasks.fire(task);
    });
    client.onNotification("asyncTasks/didRemove", ({ taskIds }) => {
      const removed = this.#table.remove(taskIds);
      if (removed.length > 0) {
        this.#removals.fire(removed);
      }
    });
    client.onNotification("asyncTasks/didOutput", (output) => {
      this.feeds.deliver(output);
    });
    client.onNotification("tasks/didChange", (change) => {
      this.#history.fire(change);
    });
    client.onNotification("subagents/didChange", () => {
      this.#definitions.fire();
    });
    client.onNotification("settings/didChange", () => {
      this.runnersChanged();
      this.#settings.fire();
    });
  }

  /**
   * Replace the async tasks by those of pages that are being read; fires for each one that is new or
   * differs. What is notified between two pages counts.
   */
  async readTasks(pages: AsyncIterable<readonly AsyncTask[]>): Promise<void> {
    const read = this.#table.beginRead();
    for await (const page of pages) {
      for (const task of this.#table.take(page)) {
        this.#tasks.fire(task);
      }
    }
    this.#table.endRead(read);
  }

  /** Make everyone read again what may have changed without a notification. */
  renew(): void {
    this.feeds.resubscribe();
    this.#history.fire({ revision: 0, added: [], changed: [], removed: [] });
    this.#restarts.fire();
  }

  dispose(): void {
    const [tasks, history, definitions] = [this.#tasks, this.#history, this.#definitions];
    const others = [this.#removals, this.#settings, this.#restarts];
    vscode.Disposable.from(tasks, history, definitions, ...others).dispose();
  }
}
