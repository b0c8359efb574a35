import * as vscode from "vscode";

import { type ListOptions, type Scope, SCOPES } from "../panel/listMessages.js";
import { type Sort, SORTS } from "../service/storedTasks.js";

const KEY = "subagentSidecar.list";

/** What the list shows, kept for the workspace; the filter lasts as long as the window. */
export class ListChoice implements vscode.Disposable {
  readonly #memento: vscode.Memento;
  readonly #changes = new vscode.EventEmitter<void>();
  #options: ListOptions;

  readonly onDidChange = this.#changes.event;

  constructor(memento: vscode.Memento) {
    this.#memento = memento;
    this.#options = { ...readKept(memento.get(KEY)), filter: "" };
    this.#publish();
  }

  get options(): ListOptions {
    return this.#options;
  }

  async setScope(scope: Scope): Promise<void> {
    await this.#set({ ...this.#options, scope });
  }

  async setSort(sort: Sort): Promise<void> {
    await this.#set({ ...this.#options, sort });
  }

  async setFilter(filter: string): Promise<void> {
    await this.#set({ ...this.#options, filter });
  }

  dispose(): void {
    this.#changes.dispose();
  }

  async #set(options: ListOptions): Promise<void> {
    this.#options = options;
    this.#publish();
    this.#changes.fire();
    const { scope, sort } = options;
    await this.#memento.update(KEY, { scope, sort });
  }

  #publish(): void {
    const { scope, filter } = this.#options;
    void vscode.commands.executeCommand("setContext", "subagentSidecar.scope", scope);
    void vscode.commands.executeCommand("setContext", "subagentSidecar.filtered", filter !== "");
  }
}

/** Read what an earlier window kept; use defaults for what cannot be read. */
function readKept(value: unknown): Pick<ListOptions, "scope" | "sort"> {
  const { scope, sort } = (typeof value === "object" && value !== null ? value : {}) as Partial<
    Record<"scope" | "sort", unknown>
  >;
  return {
    scope: SCOPES.find((each) => each === scope) ?? "workspace",
    sort: SORTS.find((each) => each === sort) ?? "recent",
  };
}
