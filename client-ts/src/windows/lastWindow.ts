import * as vscode from "vscode";

import { inform, showError } from "../questions/notify.js";
import type { AsyncTask } from "../protocol.js";
import type { SubagentService } from "../service/service.js";
import { isSet, SECTION } from "../service/settings.js";
import { isLive } from "../text/outcome.js";
import * as strings from "../text/strings.js";
import { isOfOtherWindow } from "./owner.js";

const KEY = "host.onLastWindowClose";
const LIMIT = "host.surviveMinutes";
const ASKED = "lastWindowAsked";

/** Ask once, at the first launch, what happens to running subagents when the last window closes. */
export function askAboutLastWindow(
  service: SubagentService,
  memory: vscode.Memento,
): vscode.Disposable {
  const subscription = service.onDidChangeTask((task: AsyncTask) => {
    const config = vscode.workspace.getConfiguration(SECTION);
    if (memory.get<boolean>(ASKED, false) || isSet(config, KEY)) {
      subscription.dispose();
    } else if (isLive(task) && !isOfOtherWindow(task)) {
      subscription.dispose();
      void ask(memory).catch(showError);
    }
  });
  return subscription;
}

async function ask(memory: vscode.Memento): Promise<void> {
  await memory.update(ASKED, true);
  const { lastWindow, keepRunning, stop, dontAskAgain } = strings.windows;
  const config = vscode.workspace.getConfiguration(SECTION);
  const text = lastWindow(config.get<number>(LIMIT, 30));
  const chosen = await inform(text, keepRunning, stop, dontAskAgain);
  const value = chosen === keepRunning ? "keep" : chosen === stop ? "stop" : undefined;
  if (value !== undefined) {
    await config.update(KEY, value, vscode.ConfigurationTarget.Global);
  }
}
