import * as vscode from "vscode";

import { exampleFolder, exampleIn } from "./example.js";
import type { Installation } from "./installation.js";
import type { Settings } from "../protocol.js";
import type { Example } from "./settings.js";
import type { SidecarService } from "./sidecarService.js";

const ENABLED = "exampleEnabled";

/** Whether the example's definition is available: from the first time that the user runs it. */
export class ExampleSetting {
  readonly #context: vscode.ExtensionContext;
  readonly #installation: Installation;

  constructor(context: vscode.ExtensionContext, installation: Installation) {
    this.#context = context;
    this.#installation = installation;
  }

  get current(): Example | undefined {
    const { python } = this.#installation;
    const isEnabled = this.#context.globalState.get<boolean>(ENABLED, false);
    return isEnabled && python !== undefined
      ? exampleIn(this.#context.extensionPath, python)
      : undefined;
  }

  /** Add the example to the running sidecar; returns the folder that it reads. */
  async enable(service: SidecarService, settings: () => Settings): Promise<string> {
    await this.#context.globalState.update(ENABLED, true);
    await service.updateSettings({ ...settings() });
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    return folder ?? exampleFolder(this.#context.extensionPath);
  }
}
