import * as vscode from "vscode";

import { refusalWords } from "../refusals/refusalWords.js";
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
  readonly #first: Readonly<Partial<Record<string, string>>>;
  /** The latest writing of each open document whose report takes long. */
  readonly #writings = new Map<string, { text?: string }>();
  readonly #changes = new vscode.EventEmitter<vscode.Uri>();
  readonly #registration: vscode.Disposable;

  readonly onDidChange = this.#changes.event;

  /** `first` has what a report that takes long shows until it is written. */
  constructor(
    reports: Readonly<Record<Name, WriteReport>>,
    first?: Readonly<Partial<Record<Name, string>>>,
  ) {
    this.#reports = reports;
    this.#first = first ?? {};
    this.#registration = vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      // The editor ignores a change of a document that is not open yet, also of a tab that it restores.
      vscode.workspace.onDidOpenTextDocument(({ uri }) => void this.#fill(uri)),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#writings.delete(uri.toString())),
    );
  }

  /** Show a report as a page; as text where the editor's own Markdown support is turned off. */
  async showRendered(name: Name, argument = ""): Promise<void> {
    const document = await this.#open(name, argument);
    try {
      await vscode.commands.executeCommand("vscode.openWith", document.uri, PREVIEW);
    } catch {
      await vscode.window.showTextDocument(document, { preview: true });
    }
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const first = this.#first[nameOf(uri)];
    return first === undefined
      ? this.#write(uri)
      : (this.#writings.get(uri.toString())?.text ?? first);
  }

  async #write(uri: vscode.Uri): Promise<string> {
    const name = nameOf(uri);
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
      return `${strings.history.noReport(refusalWords(error))}\n`;
    }
  }

  /** Write a slow report into its open document, which shows its first text until then. */
  async #fill(uri: vscode.Uri): Promise<void> {
    if (uri.scheme !== SCHEME || this.#first[nameOf(uri)] === undefined) {
      return;
    }
    const key = uri.toString();
    const writing: { text?: string } = {};
    this.#writings.set(key, writing);
    this.#changes.fire(uri);
    writing.text = await this.#write(uri);
    if (this.#writings.get(key) === writing) {
      this.#changes.fire(uri);
    }
  }

  async #open(name: Name, argument: string): Promise<vscode.TextDocument> {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${name}.md`, query: argument });
    if (vscode.workspace.textDocuments.some((open) => open.uri.toString() === uri.toString())) {
      if (this.#first[name] === undefined) {
        this.#changes.fire(uri);
      } else {
        void this.#fill(uri);
      }
    }
    return vscode.workspace.openTextDocument(uri);
  }

  dispose(): void {
    this.#registration.dispose();
    this.#changes.dispose();
  }
}

function nameOf({ path }: vscode.Uri): string {
  return path.replace(/^\/|\.md$/gu, "");
}
