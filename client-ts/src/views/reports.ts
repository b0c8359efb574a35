import * as vscode from "vscode";

import { messageOf } from "../errors.js";
import { TASK_MARK } from "../reports/doctor.js";

const SCHEME = "subagent-report";
/** The editor's page of a Markdown document; unlike its preview it stays with its document. */
const PREVIEW = "vscode.markdown.preview.editor";
const TASK = new RegExp(`^${TASK_MARK}(?<id>[^\\s:]+)(?=:)`, "gmu");

/** Write a report's Markdown; `argument` says of what. */
export type WriteReport = (argument: string) => Promise<string>;

/** Reports as read-only documents, by the names on their tabs; asked for again, they are written anew. */
export class Reports<Name extends string>
  implements vscode.TextDocumentContentProvider, vscode.DocumentLinkProvider, vscode.Disposable
{
  readonly #reports: Readonly<Record<Name, WriteReport>>;
  readonly #changes = new vscode.EventEmitter<vscode.Uri>();
  readonly #registration: vscode.Disposable;

  readonly onDidChange = this.#changes.event;

  constructor(reports: Readonly<Record<Name, WriteReport>>) {
    this.#reports = reports;
    this.#registration = vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.languages.registerDocumentLinkProvider({ scheme: SCHEME }, this),
    );
  }

  /** Show a report as text, in which tasks are links. */
  async show(name: Name, argument = ""): Promise<void> {
    await vscode.window.showTextDocument(await this.#write(name, argument), { preview: true });
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
    const title = `Subagents: ${name}`;
    const options = { location: vscode.ProgressLocation.Window, title };
    const write = this.#reports[name as Name] as WriteReport | undefined;
    try {
      return await vscode.window.withProgress(options, async () => {
        return write === undefined ? `There is no report ${name}.\n` : write(uri.query);
      });
    } catch (error) {
      return `This report cannot be shown: ${messageOf(error)}\n`;
    }
  }

  /** Make each task that a report names a link to its transcript. */
  provideDocumentLinks(document: vscode.TextDocument): vscode.DocumentLink[] {
    return [...document.getText().matchAll(TASK)].map(({ index, groups }) => {
      const id = groups?.["id"] ?? "";
      const start = document.positionAt(index + TASK_MARK.length);
      const range = new vscode.Range(start, start.translate(0, id.length));
      const link = new vscode.DocumentLink(range, openCommand(id));
      link.tooltip = "Open Transcript";
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

function openCommand(taskId: string): vscode.Uri {
  const taken = encodeURIComponent(JSON.stringify([taskId]));
  return vscode.Uri.parse(`command:subagentSidecar.task.open?${taken}`);
}
