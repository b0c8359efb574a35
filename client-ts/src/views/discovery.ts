import * as vscode from "vscode";

import { inform, showError } from "../questions/notify.js";
import type { SubagentService } from "../service/service.js";
import { isSet, SECTION } from "../service/settings.js";
import * as strings from "../text/strings.js";

const KEY = "history.autoDiscover";
const ANNOUNCED = "discoveryAnnounced";

/**
 * List the tasks of other agents from the first start on, unless the user decided; say so once, with a
 * button that turns it off.
 */
export function discoverStores(
  service: SubagentService,
  memory: vscode.Memento,
): vscode.Disposable {
  const subscription = service.onDidChangeState(({ kind }) => {
    const config = vscode.workspace.getConfiguration(SECTION);
    if (memory.get<boolean>(ANNOUNCED, false) || isSet(config, KEY)) {
      subscription.dispose();
    } else if (kind === "running") {
      subscription.dispose();
      void begin(memory).catch(showError);
    }
  });
  return subscription;
}

async function begin(memory: vscode.Memento): Promise<void> {
  await memory.update(ANNOUNCED, true);
  await set(true);
  const { discovered, turnOff } = strings.discovery;
  if ((await inform(discovered, turnOff)) === turnOff) {
    await set(false);
  }
}

/** Write the setting where the user finds it. */
async function set(value: boolean): Promise<void> {
  const config = vscode.workspace.getConfiguration(SECTION);
  await config.update(KEY, value, vscode.ConfigurationTarget.Global);
}
