import * as vscode from "vscode";

import { language } from "../l10n/language.js";
import { doctorReport, OPEN_TASK } from "../reports/doctor.js";
import type { SubagentService } from "../service/service.js";
import { htmlDocument, prose } from "../text/html.js";
import * as strings from "../text/strings.js";
import { messageOf } from "../util/errors.js";

/** The type of the page in the manifest. */
const DIAGNOSIS = "subagentSidecar.diagnosis";
const NAME = strings.reports.diagnosis;

/** The diagnosis of the task history as a page without scripts, whose links open tasks. */
export class DiagnosisPage implements vscode.WebviewPanelSerializer, vscode.Disposable {
  readonly #styles: vscode.Uri;
  readonly #service: Pick<SubagentService, "request">;
  readonly #registration: vscode.Disposable;
  #panel: vscode.WebviewPanel | undefined;

  constructor(extensionUri: vscode.Uri, service: Pick<SubagentService, "request">) {
    this.#styles = vscode.Uri.joinPath(extensionUri, "out", "webview");
    this.#service = service;
    this.#registration = vscode.window.registerWebviewPanelSerializer(DIAGNOSIS, this);
  }

  /** Diagnose and show the result; showing the page again updates it. */
  async show(): Promise<void> {
    const body = await this.#write();
    if (this.#panel === undefined) {
      const { Active } = vscode.ViewColumn;
      const options = { enableFindWidget: true };
      this.#fill(vscode.window.createWebviewPanel(DIAGNOSIS, NAME, Active, options), body);
    } else {
      this.#fill(this.#panel, body).reveal();
    }
  }

  /** Diagnose again for the page of the earlier window. */
  async deserializeWebviewPanel(panel: vscode.WebviewPanel): Promise<void> {
    this.#fill(panel, await this.#write());
  }

  dispose(): void {
    this.#registration.dispose(); // The page stays, and is restored with the window.
  }

  async #write(): Promise<string> {
    const location = vscode.ProgressLocation.Window;
    const title = strings.statusBar.with(NAME);
    try {
      return await vscode.window.withProgress({ location, title }, async () =>
        doctorReport(await this.#service.request("history/doctor", {})),
      );
    } catch (error) {
      return `<h1>${prose(NAME)}</h1>\n<p>${prose(strings.history.noReport(messageOf(error)))}</p>`;
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
    webview.options = { enableCommandUris: [OPEN_TASK], localResourceRoots: [this.#styles] };
    const styleUri = webview.asWebviewUri(vscode.Uri.joinPath(this.#styles, "report.css"));
    webview.html = htmlDocument({
      language: language(),
      cspSource: webview.cspSource,
      styleUri: styleUri.toString(),
      title: prose(NAME),
      body: `<body>\n    <main>\n${body}\n    </main>\n  </body>`,
    });
    return panel;
  }
}
