import { html } from "lit-html";

import type { RunRow, StoredRow } from "../../../src/panel/listMessages.js";
import type { Changes } from "../../../src/protocol.js";
import {
  changeLines,
  costWords,
  estimateWords,
  modelWords,
  placeWords,
  unmetFacts,
} from "../../../src/text/runWords.js";
import { ago } from "../../../src/l10n/format.js";
import { elapsed, isLive, storedText } from "../../../src/text/outcome.js";
import { statusText } from "../../text/words.js";
import { LIST } from "../../text/strings.js";
import type { Part } from "../common/view.js";

type Words = readonly (string | undefined)[];

/** The facts that a row shows. A narrow row leaves out `more` first, then the state, then `who`. */
export interface Facts {
  /** The agent, or the product of a stored task. */
  readonly who: string | undefined;
  /** The state, which the icon shows too. */
  readonly state: Words;
  /** When it ended or how long it runs, and what it cost. */
  readonly figures: Words;
  /** The added and removed lines. */
  readonly lines?: string | undefined;
  readonly more: Words;
}

/** Return the facts of a run. */
export function runFacts(run: RunRow, cancelling: boolean, now: number): Facts {
  const live = isLive(run);
  const when = run.completedAt === undefined ? undefined : ago(run.completedAt, now);
  return {
    who: run.subagentName,
    state: [statusText(run, cancelling), run.continues && LIST.continued],
    figures: [live ? elapsed(run, now) : (when ?? elapsed(run, now)), costWords(run.cost)],
    more: [
      ...unmetFacts(run.unmet),
      placeWords(run, now),
      live ? run.tool : undefined,
      run.folder,
      run.from && LIST.from(run.from),
      ...modelWords(run),
    ],
    lines: changeLines(run.changes),
  };
}

/** Return who asks a question and, for a window on other folders, where. */
export function askingFacts({ subagentName, folder }: RunRow): Words {
  return [subagentName, folder];
}

/** Return the facts of a stored task, with what it changed if that is known. */
export function storedFacts(task: StoredRow, changes: Changes | undefined, now: number): Facts {
  const { product, agent, at, cost, estimatedCost, folder } = task;
  const isOwn = product === "sidecar";
  return {
    who: isOwn ? agent : product,
    state: [storedText(task)],
    figures: [
      at === undefined ? undefined : ago(at, now),
      cost === undefined ? estimateWords(estimatedCost) : costWords(cost),
    ],
    lines: changeLines(changes),
    more: [isOwn ? undefined : agent, folder],
  };
}

/** Render the parts of the second line, of which `Facts` says what is left out first. */
export function factParts({ who, state, figures, more, lines }: Facts): Part[] {
  const parts = [
    ["row-who", given([who])],
    ["row-state", given(state)],
    ["row-figures", given(figures)],
    ["row-lines", given([lines])],
    ["row-more", given(more)],
  ] as const;
  return parts
    .filter(([, facts]) => facts.length > 0)
    .map(([name, facts]) => html`<span class=${name}>${facts.map(factPart)}</span>`);
}

/** Render one fact. */
export function factPart(fact: string): Part {
  return html`<span><bdi>${fact}</bdi></span>`;
}

/** Return the facts that are known. */
export function given(words: Words): string[] {
  return words.filter((word): word is string => word !== undefined && word !== "");
}
