import * as vscode from "vscode";

import { language } from "../l10n/language.js";
import { htmlDocument, prose } from "../text/html.js";
import * as strings from "../text/strings.js";
import { messageOf } from "../util/errors.js";

/** What a page shows. */
export interface PageReport {
  /** The type of the page in the manifest. */
  readonly type: string;
  /** The title of its tab. */
  readonly name: string;
  /** The commands that its links may run. */
  readonly commands: readonly string[];
  /** Write the HTML of its content. */
  readonly write: () => Promise<string>;
}

/** A report as a page without scripts, of which there is at most one. */
export class ReportPage implements vscode.WebviewPanelSerializer, vscode.Disposable {
  readonly #styles: vscode.Uri;
  readonly #report: PageReport;
  readonly #registration: vscode.Disposable;
  #panel: vscode.WebviewPanel | undefined;

  constructor(extensionUri: vscode.Uri, report: PageReport) {
    this.#styles = vscode.Uri.joinPath(extensionUri, "out", "webview");
    this.#report = report;
    this.#registration = vscode.window.registerWebviewPanelSerializer(report.type, this);
  }

  /** Whether the page is the active editor of its group. */
  get isActive(): boolean {
    return this.#panel?.active ?? false;
  }

  /** Write the report and show it; showing the page again updates it. */
  async show(): Promise<void> {
    const body = await this.#write();
    if (this.#panel === undefined) {
      const { type, name } = this.#report;
      const { Active } = vscode.ViewColumn;
      const options = { enableFindWidget: true };
      this.#fill(vscode.window.createWebviewPanel(type, name, Active, options), body);
    } else {
      this.#fill(this.#panel, body).reveal();
    }
  }

  /** Write the report again for the page of the earlier window. */
  async deserializeWebviewPanel(panel: vscode.WebviewPanel): Promise<void> {
    this.#fill(panel, await this.#write());
  }

  dispose(): void {
    this.#registration.dispose(); // The page stays, and is restored with the window.
  }

  async #write(): Promise<string> {
    const { name, write } = this.#report;
    const location = vscode.ProgressLocation.Window;
    try {
      return await vscode.window.withProgress(
        { location, title: strings.statusBar.with(name) },
        write,
      );
    } catch (error) {
      return `<h1>${prose(name)}</h1>\n<p>${prose(strings.history.noReport(messageOf(error)))}</p>`;
    }
  }

  #fill(panel: vscode.WebviewPanel, body: string): vscode.WebviewPanel {
    const { webview } = panel;
    if (panel !== this.#panel) {
      this.#panel = panel;
      panel.onDidDispose(() => {
        if (this.#panel === panel) {
          this.#panel = undefined;
        }
      });
    }
    webview.options = {
      enableCommandUris: this.#report.commands,
      localResourceRoots: [this.#styles],
    };
    const styleUri = webview.asWebviewUri(vscode.Uri.joinPath(this.#styles, "report.css"));
    webview.html = htmlDocument({
      language: language(),
      cspSource: webview.cspSource,
      styleUri: styleUri.toString(),
      title: prose(this.#report.name),
      body: `<body>\n    <main>\n${body}\n    </main>\n  </body>`,
    });
    return panel;
  }
}
