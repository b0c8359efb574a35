import { showQuickPick } from "../questions/quickInput.js";
import type { ListOptions, Scope } from "../panel/listMessages.js";
import type { SubagentService } from "../service/service.js";
import { type Sort, SORTS } from "../service/storedTasks.js";
import { pageIdOf } from "../storedRef.js";
import type { TaskRef } from "../taskRef.js";
import * as strings from "../text/strings.js";
import { taskOf } from "./arguments.js";

/** What the list shows, as these commands change it. */
export interface ListChooser {
  readonly options: ListOptions;
  setScope(scope: Scope): Promise<void>;
  setSort(sort: Sort): Promise<void>;
}

/** What shows conversations and fills the composer. */
export interface Surface {
  reveal(taskId: string): Promise<void>;
  focusComposer(subagentName?: string, goal?: string): Promise<void>;
  focusList(): Promise<void>;
}

/** The commands on the list, by their ids. */
export function listCommands(service: SubagentService, list: ListChooser, surface: Surface) {
  return {
    "subagentSidecar.task.view": (target?: unknown) => view(service, surface, target),
    "subagentSidecar.composer.fill": (name?: unknown, goal?: unknown) =>
      surface.focusComposer(textOf(name), textOf(goal)),
    "subagentSidecar.list.focus": () => surface.focusList(),
    "subagentSidecar.list.showAll": () => list.setScope("all"),
    "subagentSidecar.list.showWorkspace": () => list.setScope("workspace"),
    "subagentSidecar.list.sort": () => sort(list),
  };
}

/** Show a stored task as a conversation; one of this extension is a run, which can continue. */
async function view(service: SubagentService, surface: Surface, target: unknown): Promise<void> {
  const task = taskOf(target);
  if (task !== undefined) {
    await surface.reveal((await isRun(service, task)) ? task.id : pageIdOf(task));
  }
}

async function isRun(service: SubagentService, { id, root }: TaskRef): Promise<boolean> {
  if (root !== undefined && root !== service.info?.storageRoot) {
    return false;
  }
  try {
    return (await service.request("asyncTasks/get", { taskId: id })).task.id === id;
  } catch {
    return false; // Its record was removed, but its transcript is still there.
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

async function sort(list: ListChooser): Promise<void> {
  const current = list.options.sort;
  const rows = SORTS.map((each) => ({
    label: strings.list.sorts[each],
    ...(each === current ? { description: strings.list.current } : {}),
    sort: each,
  }));
  const chosen = await showQuickPick(rows, { title: strings.list.sortTitle });
  if (chosen !== undefined) {
    await list.setSort(chosen.sort);
  }
}
