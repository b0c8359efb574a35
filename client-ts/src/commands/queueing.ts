import { launchFault, type LaunchFault } from "../text/launchFault.js";
import { warn } from "../questions/notify.js";
import * as vscode from "vscode";
import { launchWish, SECTION } from "../service/settings.js";
import * as strings from "../text/strings.js";

type Wish = ReturnType<typeof launchWish>;

const SETTING_BUTTONS = {
  runners: strings.runs.openRunnerSettings,
  maxAsyncTasks: strings.runs.changeLimit,
} as const;

/**
 * Request a run. Over the limit it is queued or, if the settings reject that, the user decides;
 * undefined if they do not launch. A refusal that a setting can prevent is shown with a button that
 * opens the setting.
 */
export async function orQueue<T>(ask: (wish: Wish) => Promise<T>): Promise<T | undefined> {
  try {
    return await ask(launchWish(vscode.workspace.getConfiguration(SECTION)));
  } catch (error) {
    const fault = launchFault(error);
    if (fault.setting === undefined) {
      throw error;
    }
    return (await addsToQueue(fault, fault.setting)) ? ask({ overLimit: "queue" }) : undefined;
  }
}

async function addsToQueue(
  { message, canQueue }: LaunchFault,
  setting: NonNullable<LaunchFault["setting"]>,
): Promise<boolean> {
  const [queue, change] = [strings.runs.addToQueue, SETTING_BUTTONS[setting]] as const;
  const chosen = await warn(message, ...(canQueue ? [queue] : []), change);
  if (chosen === change) {
    await vscode.commands.executeCommand("workbench.action.openSettings", `${SECTION}.${setting}`);
  }
  return chosen === queue;
}
