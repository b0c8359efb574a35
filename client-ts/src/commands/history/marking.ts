import { showInputBox } from "../../questions/quickInput.js";
import { allTags, readTags } from "../../marks/marks.js";
import type { MarkStore } from "../../marks/markStore.js";
import type { SubagentService } from "../../service/service.js";
import { storedRef } from "../../storedRef.js";
import { inOwnRoot, taskParams, type TaskRef } from "../../taskRef.js";
import { oneLine } from "../../text/words.js";
import * as strings from "../../text/strings.js";
import { refsOf } from "../arguments.js";
import { searchTasks } from "./taskSearch.js";

const TITLE_CHARS = 160;
const MOST_SUGGESTED = 12;

/** What these commands act on. */
export interface MarkingContext {
  readonly service: SubagentService;
  readonly marks: Pick<MarkStore, "marks" | "of" | "change">;
  /** The page's ID of the task whose conversation is in front, if any. */
  readonly front: () => string | undefined;
}

type Act = (context: MarkingContext, tasks: readonly TaskRef[]) => Promise<void>;

/** The commands that pin, name and tag tasks of any product, by their ids. */
export function markingCommands(context: MarkingContext) {
  const on =
    (title: string, act: Act) =>
    async (target?: unknown): Promise<void> => {
      await context.service.start();
      const known = target === undefined ? taskInFront(context.front()) : refsOf(target);
      const chosen = known.length === 0 ? await searchTasks(context.service, { title }) : undefined;
      const tasks = chosen === undefined ? known : [chosen];
      if (tasks.length > 0) {
        await act(
          context,
          tasks.map((task) => inOwnRoot(task, context.service)),
        );
      }
    };
  return {
    "subagentSidecar.task.pin": on(strings.marks.findToPin, pin(true)),
    "subagentSidecar.task.unpin": on(strings.marks.findToUnpin, pin(false)),
    "subagentSidecar.task.rename": on(strings.marks.findToRename, rename),
    "subagentSidecar.task.tag": on(strings.marks.findToTag, tag),
  };
}

function taskInFront(pageId: string | undefined): TaskRef[] {
  return pageId === undefined ? [] : [storedRef(pageId) ?? { id: pageId }];
}

function pin(pinned: boolean): Act {
  return ({ marks }, tasks) =>
    marks.change(tasks, ({ title, tags }) => ({
      ...(title === undefined ? {} : { title }),
      ...(tags === undefined ? {} : { tags }),
      ...(pinned ? { pinned } : {}),
    }));
}

async function rename(
  { service, marks }: MarkingContext,
  tasks: readonly TaskRef[],
): Promise<void> {
  const [task] = tasks;
  if (task === undefined) {
    return;
  }
  const original = oneLine(await originalTitle(service, task), TITLE_CHARS);
  const text = await showInputBox({
    title: strings.marks.rename,
    prompt: strings.marks.renamePrompt,
    value: marks.of(task).title ?? original,
    placeHolder: original,
    ignoreFocusOut: true,
  });
  if (text !== undefined) {
    const title = text.trim() === original ? "" : text;
    await marks.change([task], (before) => ({ ...before, title }));
  }
}

/** Return the goal of a run, which may have no stored task yet, or the title of a stored task. */
async function originalTitle(service: SubagentService, task: TaskRef): Promise<string> {
  const run = task.root === service.info?.storageRoot ? service.tasks.get(task.id) : undefined;
  return run?.goalPrompt ?? (await service.request("tasks/get", taskParams(task))).task.title;
}

async function tag({ marks }: MarkingContext, tasks: readonly TaskRef[]): Promise<void> {
  const before = [...new Set(tasks.flatMap((task) => marks.of(task).tags ?? []))];
  const others = allTags(marks.marks).filter((each) => !before.includes(each));
  const known = others.slice(0, MOST_SUGGESTED);
  const text = await showInputBox({
    title: strings.marks.tags(strings.common.tasks(tasks.length)),
    prompt:
      known.length === 0 ? strings.marks.tagsPrompt : strings.marks.tagsInUse(known.join(", ")),
    value: before.join(", "),
    ignoreFocusOut: true,
  });
  if (text !== undefined) {
    const tags = readTags(text);
    const removed = before.filter((each) => !tags.includes(each));
    const added = tags.filter((each) => !before.includes(each));
    await marks.change(tasks, (mark) => ({
      ...mark,
      tags: [...(mark.tags ?? []).filter((each) => !removed.includes(each)), ...added],
    }));
  }
}
