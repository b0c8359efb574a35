import { clock } from "../l10n/format.js";
import type { AsyncTask } from "../protocol.js";
import { isWaiting } from "../questions/questions.js";
import { oneLine } from "../text/words.js";
import * as strings from "../text/strings.js";

/** A run that has a tab, and what the user calls it. */
export interface Tabbed {
  readonly task: AsyncTask;
  readonly title?: string;
}

const CHARS = 40;
/** How much of a title and of a subagent's name is shown of runs that share the title. */
const SHARED_CHARS = 28;
const NAME_CHARS = 20;

/**
 * Return the title of each tab: a mark for what needs the user, and its name or else its goal. Where several have the
 * same, the subagent before it tells them apart, or else also the time of the launch, or a number if that is the same,
 * too: a narrow tab shows the beginning.
 */
export function tabTitles(tabs: readonly Tabbed[]): readonly string[] {
  const plain = tabs.map(({ task, title = task.goalPrompt }) => oneLine(title, CHARS));
  const named = tabs.map(({ task }, at) => `${plain[at] ?? ""}\n${task.subagentName}`);
  const titles = tabs.map(({ task, title = task.goalPrompt }, at) => {
    const untitled = strings.common.untitled;
    if (!isRepeated(plain, at)) {
      return plain[at] || untitled;
    }
    const since = task.launchedAt ?? task.queuedAt;
    const time = since !== undefined && isRepeated(named, at) ? ` ${clock(since)}` : "";
    const name = oneLine(task.subagentName, NAME_CHARS);
    return `${name}${time} · ${oneLine(title, SHARED_CHARS) || untitled}`;
  });
  return tabs.map(({ task }, at) => {
    const title = titles[at] ?? "";
    const before = titles.slice(0, at).filter((other) => other === title).length;
    return `${isWaiting(task) ? "● " : ""}${title}${before === 0 ? "" : ` (${before + 1})`}`;
  });
}

/** Return the title of a tab whose conversation is loading: what is known to be its title. */
export function loadingTitle(known: string | undefined): string {
  return known === undefined
    ? strings.runs.loading
    : oneLine(known, CHARS) || strings.common.untitled;
}

function isRepeated(texts: readonly string[], at: number): boolean {
  return texts.some((text, other) => other !== at && text === texts[at]);
}
