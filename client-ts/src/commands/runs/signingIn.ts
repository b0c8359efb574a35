import { homedir } from "node:os";

import * as vscode from "vscode";

import { showQuickPick } from "../../questions/quickInput.js";
import type { RunnerSettings } from "../../protocol.js";
import { inform } from "../../questions/notify.js";
import type { SubagentService } from "../../service/service.js";
import { SECTION } from "../../service/settings.js";
import { commandLine, type SignInWay, waysToSignIn } from "../../signIn/ways.js";
import * as strings from "../../text/strings.js";
import { taskIdOf } from "../arguments.js";
import { requireTrust } from "../trust.js";

/** The commands that sign in to agents, by their ids. */
export function signInCommands({ service }: { readonly service: SubagentService }) {
  return {
    "subagentSidecar.agent.signIn": (target?: unknown) => signIn(service, target),
  };
}

/** Sign in to the agent of a run, or to the one that the user chooses. */
async function signIn(service: SubagentService, target: unknown): Promise<void> {
  if (!(await requireTrust())) {
    return;
  }
  await service.start();
  const runner = await runnerOf(service, taskIdOf(target));
  const { items } = await service.request("runners/list", {});
  const ways = items
    .filter(({ name, available }) => (runner === undefined ? available : name === runner))
    .flatMap(waysToSignIn);
  if (ways.length === 0) {
    const { none, noCommand } = strings.signIn;
    void inform(runner === undefined ? none : noCommand(runner));
    return;
  }
  const way = await pickWay(ways, runner);
  if (way !== undefined) {
    runInTerminal(way);
  }
}

async function runnerOf(
  service: SubagentService,
  taskId: string | undefined,
): Promise<string | undefined> {
  if (taskId === undefined) {
    return undefined;
  }
  const known = service.tasks.get(taskId);
  return (known ?? (await service.request("asyncTasks/get", { taskId })).task).runner;
}

/** Let the user choose, unless there is only one way to sign in to this agent. */
async function pickWay(
  ways: readonly SignInWay[],
  runner: string | undefined,
): Promise<SignInWay | undefined> {
  const [first] = ways;
  if (runner !== undefined && ways.length === 1) {
    return first;
  }
  const { select, selectWay } = strings.signIn;
  const items = ways.map((way) => ({
    label: runner === undefined ? way.runner : (way.name ?? way.runner),
    ...(runner === undefined && way.name !== undefined ? { description: way.name } : {}),
    detail: commandLine(way),
    way,
  }));
  const placeHolder = runner === undefined ? select : selectWay(runner);
  return (await showQuickPick(items, { placeHolder, matchOnDetail: true }))?.way;
}

/** Run a command where the user sees it, in a folder that is of no repository. */
function runInTerminal(way: SignInWay): void {
  const config = vscode.workspace.getConfiguration(SECTION);
  const runners = config.get<Record<string, RunnerSettings>>("runners", {});
  const terminal = vscode.window.createTerminal({
    name: strings.signIn.terminal(way.runner),
    cwd: homedir(),
    env: { ...runners[way.runner]?.env, ...way.env },
    iconPath: new vscode.ThemeIcon("sign-in"),
    isTransient: true,
  });
  terminal.show();
  terminal.sendText(commandLine(way));
}
