import * as vscode from "vscode";

import { messageOf } from "../util/errors.js";
import * as strings from "../text/strings.js";

const SCHEME = "subagent-report";
/** The editor's page of a Markdown document; unlike its preview it stays with its document. */
const PREVIEW = "vscode.markdown.preview.editor";

/** Write the Markdown of a report about `argument`. */
export type WriteReport = (argument: string) => Promise<string>;

/** Reports as read-only documents, by the names on their tabs; opening one again updates it. */
export class Reports<Name extends string>
  implements vscode.TextDocumentContentProvider, vscode.Disposable
{
  readonly #reports: Readonly<Record<Name, WriteReport>>;
  readonly #changes = new vscode.EventEmitter<vscode.Uri>();
  readonly #registration: vscode.Disposable;

  readonly onDidChange = this.#changes.event;

  constructor(reports: Readonly<Record<Name, WriteReport>>) {
    this.#reports = reports;
    this.#registration = vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
    );
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
      return await vscode.window.withProgress(options, () =>
        write === undefined
          ? Promise.resolve(`${strings.history.unknownReport(name)}\n`)
          : write(uri.query),
      );
    } catch (error) {
      return `${strings.history.noReport(messageOf(error))}\n`;
    }
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
