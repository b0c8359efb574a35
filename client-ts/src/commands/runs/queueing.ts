import { launchProblem, type LaunchProblem } from "../../refusals/launchProblem.js";
import { warn } from "../../questions/notify.js";
import * as vscode from "vscode";
import { launchOptions, SECTION } from "../../service/settings.js";
import * as strings from "../../text/strings.js";
import { machineSetting } from "../../util/machineSetting.js";

type LaunchOptions = ReturnType<typeof launchOptions>;

const SETTING_BUTTONS = {
  runners: strings.runs.openRunnerSettings,
  maxAsyncTasks: strings.runs.changeLimit,
} as const;

/**
 * Request a run. Over the limit it is queued or, if the settings reject that, the user decides;
 * undefined if they do not launch. A refusal that a setting can prevent is shown with a button that
 * opens the setting. `decided` is called when the user has decided to queue it.
 */
export async function orQueue<T>(
  request: (options: LaunchOptions) => Promise<T>,
  decided: () => void = () => undefined,
): Promise<T | undefined> {
  try {
    return await request(launchOptions(vscode.workspace.getConfiguration(SECTION)));
  } catch (error) {
    const problem = launchProblem(error);
    if (problem.setting === undefined) {
      throw error;
    }
    if (!(await addsToQueue(problem, problem.setting))) {
      return undefined;
    }
    decided();
    return request({ overLimit: "queue" });
  }
}

async function addsToQueue(
  { message, canQueue }: LaunchProblem,
  setting: NonNullable<LaunchProblem["setting"]>,
): Promise<boolean> {
  const [queue, change] = [strings.runs.addToQueue, SETTING_BUTTONS[setting]] as const;
  const chosen = await warn(message, ...(canQueue ? [queue] : []), change);
  if (chosen === change) {
    await vscode.commands.executeCommand(...machineSetting(`${SECTION}.${setting}`));
  }
  return chosen === queue;
}
