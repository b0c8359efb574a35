import type { AsyncTask } from "../protocol.js";
import type { SubagentService } from "../service/service.js";
import { commandLine, needsSignIn, waysToSignIn } from "./ways.js";

/**
 * Return the commands that sign in to the agent of a run that failed without a sign-in; undefined for
 * other runs. The list is empty if no command is known.
 */
export async function signInCommandsFor(
  service: Pick<SubagentService, "request">,
  task: AsyncTask,
): Promise<string[] | undefined> {
  if (!needsSignIn(task)) {
    return undefined;
  }
  const { items } = await service.request("runners/list", {});
  const ways = items.filter(({ name }) => name === task.runner).flatMap(waysToSignIn);
  return ways.length > 0 || task.reason === "authRequired" ? ways.map(commandLine) : undefined;
}
