import path from "node:path";

import type * as vscode from "vscode";

import { exampleIn, exampleProject } from "./example.js";
import type { Installation } from "./installation.js";
import type { Settings } from "../protocol.js";
import type { Example } from "./settings.js";
import type { SidecarService } from "./sidecarService.js";

const ENABLED = "exampleEnabled";
const PROJECT = "example";

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

  /** Add the example to the running sidecar; returns the folder of its project, in its initial state. */
  async enable(service: SidecarService, settings: () => Settings): Promise<string> {
    const { extensionPath, globalState, globalStorageUri } = this.#context;
    await globalState.update(ENABLED, true);
    await service.updateSettings({ ...settings() });
    return exampleProject(extensionPath, path.join(globalStorageUri.fsPath, PROJECT));
  }
}
