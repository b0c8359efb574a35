import * as vscode from "vscode";

import { language } from "../l10n/language.js";
import { htmlDocument, prose } from "../text/html.js";
import { refusalWords } from "../refusals/refusalWords.js";
import * as strings from "../text/strings.js";

/** What a page shows. */
export interface PageReport {
  /** The type of the page in the manifest. */
  readonly type: string;
  /** The title of its tab. */
  readonly name: string;
  /** The commands that its links may run. */
  readonly commands: readonly string[];
  /** Write the HTML of its content for a query. */
  readonly write: (query: string) => Promise<string>;
}

/** A report as a page without scripts, of which there is at most one. */
export class ReportPage implements vscode.WebviewPanelSerializer, vscode.Disposable {
  readonly #styles: vscode.Uri;
  readonly #report: PageReport;
  readonly #memory: vscode.Memento;
  readonly #registration: vscode.Disposable;
  #panel: vscode.WebviewPanel | undefined;
  #wanted: string | undefined;
  #requests = 0;

  /** `memory` keeps the query of the page for the next window: a page without scripts has no state. */
  constructor(extensionUri: vscode.Uri, report: PageReport, memory: vscode.Memento) {
    this.#styles = vscode.Uri.joinPath(extensionUri, "out", "webview");
    this.#report = report;
    this.#memory = memory;
    this.#registration = vscode.window.registerWebviewPanelSerializer(report.type, this);
  }

  /** Whether the page is the active editor of its group. */
  get isActive(): boolean {
    return this.#panel?.active ?? false;
  }

  /** The query of the page that is shown, or was shown last. */
  get query(): string {
    const kept = this.#memory.get<unknown>(this.#report.type);
    return typeof kept === "string" ? kept : "";
  }

  /** Write the report for a query and show it; showing the page again updates it. */
  async show(query = ""): Promise<void> {
    this.#wanted = query;
    const body = await this.#newest(query);
    if (body === undefined) {
      return;
    }
    if (this.#panel === undefined) {
      const { type, name } = this.#report;
      const { Active } = vscode.ViewColumn;
      this.#adopt(vscode.window.createWebviewPanel(type, name, Active, { enableFindWidget: true }));
    } else {
      this.#panel.reveal();
    }
    this.#fill(body);
    await this.#memory.update(this.#report.type, query);
  }

  /** Write the report again for the page of the earlier window. */
  async deserializeWebviewPanel(panel: vscode.WebviewPanel): Promise<void> {
    const other = this.#panel;
    this.#adopt(panel);
    other?.dispose(); // shown while the restored page was behind another tab
    const query = this.#wanted ?? this.query;
    const body = await this.#newest(query);
    if (body !== undefined) {
      this.#fill(body);
      await this.#memory.update(this.#report.type, query);
    }
  }

  dispose(): void {
    this.#registration.dispose(); // The page stays, and is restored with the window.
  }

  /** Write the report; undefined if it was requested again meanwhile, since the last request decides. */
  async #newest(query: string): Promise<string | undefined> {
    this.#requests += 1;
    const request = this.#requests;
    const body = await this.#write(query);
    return request === this.#requests ? body : undefined;
  }

  async #write(query: string): Promise<string> {
    const { name, write } = this.#report;
    const location = vscode.ProgressLocation.Window;
    try {
      return await vscode.window.withProgress(
        { location, title: strings.statusBar.with(name) },
        () => write(query),
      );
    } catch (error) {
      return `<h1>${prose(name)}</h1>\n<p>${prose(strings.history.noReport(refusalWords(error)))}</p>`;
    }
  }

  #adopt(panel: vscode.WebviewPanel): void {
    this.#panel = panel;
    panel.webview.options = {
      enableCommandUris: this.#report.commands,
      localResourceRoots: [this.#styles],
    };
    panel.onDidDispose(() => {
      if (this.#panel === panel) {
        this.#panel = undefined;
      }
    });
  }

  /** Fill the page, unless its user closed it meanwhile. */
  #fill(body: string): void {
    const webview = this.#panel?.webview;
    if (webview === undefined) {
      return;
    }
    const styleUri = webview.asWebviewUri(vscode.Uri.joinPath(this.#styles, "report.css"));
    webview.html = htmlDocument({
      language: language(),
      cspSource: webview.cspSource,
      styleUri: styleUri.toString(),
      title: prose(this.#report.name),
      body: `<body>\n    <main>\n${body}\n    </main>\n  </body>`,
    });
  }
}
