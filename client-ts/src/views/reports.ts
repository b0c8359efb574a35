import * as vscode from "vscode";

import { messageOf } from "../util/errors.js";
import { TASK_MARK } from "../reports/doctor.js";
import type { TaskRef } from "../taskRef.js";
import * as strings from "../text/strings.js";

const SCHEME = "subagent-report";
/** The editor's page of a Markdown document; unlike its preview it stays with its document. */
const PREVIEW = "vscode.markdown.preview.editor";
const TASK = new RegExp(`^${TASK_MARK}(?<id>[^\\s:]+)(?=:)`, "gmu");

/** A report's Markdown, and the tasks that its lines with TASK_MARK lead to, in their order. */
export interface Report {
  readonly text: string;
  readonly tasks?: readonly TaskRef[];
}

/** Write a report about `argument`. */
export type WriteReport = (argument: string) => Promise<Report>;

/** Reports as read-only documents, by the names on their tabs; opening one again updates it. */
export class Reports<Name extends string>
  implements vscode.TextDocumentContentProvider, vscode.DocumentLinkProvider, vscode.Disposable
{
  readonly #reports: Readonly<Record<Name, WriteReport>>;
  readonly #changes = new vscode.EventEmitter<vscode.Uri>();
  /** The tasks that each open document names. */
  readonly #tasks = new Map<string, readonly TaskRef[]>();
  readonly #registration: vscode.Disposable;

  readonly onDidChange = this.#changes.event;

  constructor(reports: Readonly<Record<Name, WriteReport>>) {
    this.#reports = reports;
    this.#registration = vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.languages.registerDocumentLinkProvider({ scheme: SCHEME }, this),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#tasks.delete(uri.toString())),
    );
  }

  /**
   * Show a report as a page or, where it names tasks, as text in which they are links: the editor
   * lets no page run a command.
   */
  async showPage(name: Name): Promise<void> {
    const document = await this.#write(name, "");
    const names = this.#tasks.get(document.uri.toString()) ?? [];
    await (names.length === 0
      ? this.showRendered(name)
      : vscode.window.showTextDocument(document, { preview: true }));
  }

  /** Show a report as a page; as text where the editor's own Markdown support is turned off. */
  async showRendered(name: Name, argument = ""): Promise<void> {
    const document = await this.#write(name, argument);
    try {
      await vscode.commands.executeCommand("vscode.openWith", document.uri, PREVIEW);
    } catch {
      await vscode.window.showTextDocument(document, { preview: true });
    }
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const name = uri.path.replace(/^\/|\.md$/gu, "");
    const title = strings.statusBar.with(name);
    const options = { location: vscode.ProgressLocation.Window, title };
    const write = this.#reports[name as Name] as WriteReport | undefined;
    try {
      return await vscode.window.withProgress(options, async () => {
        const { text, tasks = [] } =
          write === undefined
            ? { text: `${strings.history.unknownReport(name)}\n` }
            : await write(uri.query);
        this.#tasks.set(uri.toString(), tasks);
        return text;
      });
    } catch (error) {
      return `${strings.history.noReport(messageOf(error))}\n`;
    }
  }

  /** Make each task that a report names a link to its transcript. */
  provideDocumentLinks(document: vscode.TextDocument): vscode.DocumentLink[] {
    const tasks = this.#tasks.get(document.uri.toString()) ?? [];
    return [...document.getText().matchAll(TASK)].map(({ index, groups }, at) => {
      const id = groups?.["id"] ?? "";
      const task = tasks[at];
      const start = document.positionAt(index + TASK_MARK.length);
      const range = new vscode.Range(start, start.translate(0, id.length));
      const link = new vscode.DocumentLink(range, openCommand(task?.id === id ? task : { id }));
      link.tooltip = strings.history.openTranscript;
      return link;
    });
  }

  async #write(name: Name, argument: string): Promise<vscode.TextDocument> {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${name}.md`, query: argument });
    if (vscode.workspace.textDocuments.some((open) => open.uri.toString() === uri.toString())) {
      this.#changes.fire(uri);
    }
    return vscode.workspace.openTextDocument(uri);
  }

  dispose(): void {
    this.#registration.dispose();
    this.#changes.dispose();
  }
}

function openCommand(task: TaskRef): vscode.Uri {
  const taken = encodeURIComponent(JSON.stringify([task]));
  return vscode.Uri.parse(`command:subagentSidecar.task.open?${taken}`);
}
