import * as vscode from "vscode";

import { messageOf } from "../util/errors.js";
import { showError } from "../questions/notify.js";
import type { SubagentService } from "../service/service.js";

type Command = (...args: unknown[]) => unknown;

/**
 * Register commands so that failures are logged and shown. A failure of the sidecar itself is shown
 * once for its state, not for each command that fails because of it.
 */
export function registerCommands(
  commands: Readonly<Record<string, Command>>,
  service: SubagentService,
  log: vscode.LogOutputChannel,
): vscode.Disposable {
  const guarded = Object.entries(commands).map(([id, run]) =>
    vscode.commands.registerCommand(id, async (...args: unknown[]) => {
      try {
        await run(...args);
      } catch (error) {
        log.error(`${id}: ${messageOf(error)}`);
        if (service.state.kind !== "failed") {
          void showError(error);
        }
      }
    }),
  );
  return vscode.Disposable.from(...guarded);
}
