import { html, nothing } from "lit-html";

import type { RunRow } from "../../../src/panel/listMessages.js";
import type { Action } from "../../../src/panel/messages.js";
import { isLive, STATUS_ICON } from "../../../src/text/outcome.js";
import { plain } from "../../text/format.js";
import { shownLook, storedLook } from "../../text/words.js";
import { LIST } from "../../text/strings.js";
import type { Entry } from "../../model/list/entries.js";
import { isInFront } from "../../model/list/listState.js";
import { icon } from "../common/icon.js";
import type { Part, View } from "../common/view.js";
import {
  askingFacts,
  factPart,
  factParts,
  type Facts,
  given,
  runFacts,
  storedFacts,
} from "./facts.js";
import { menuContext } from "./menu.js";
import { selectionAfterClick } from "./selecting.js";

type Act = readonly [action: Action, icon: string, label: string];

/** What a row shows and offers. */
interface Row {
  readonly key: string;
  readonly isCurrent: boolean;
  /** Whether its conversation is in front in the editor area. */
  readonly isInFront: boolean;
  readonly status: string;
  readonly icon: string;
  readonly title: string;
  readonly pinned: boolean;
  readonly tags: readonly string[];
  readonly facts: Facts;
  /** The question that it waits for an answer to, and who asks it. */
  readonly asks?: string | undefined;
  readonly asking?: readonly (string | undefined)[];
  readonly menu: string;
  readonly actions: readonly Act[];
  readonly open: () => void;
  readonly act: (action: Action) => void;
}

/** Render a run: its goal, and below it who works at it, how far it is and what it cost. */
export function runLine(
  view: View,
  { key, run }: Extract<Entry, { kind: "run" }>,
  isCurrent: boolean,
): Part {
  const { state, now, send } = view;
  const cancelling = state.cancelling.has(run.id);
  const status = shownLook(run, cancelling);
  return row(view, {
    ...{ key, isCurrent, status },
    isInFront: isInFront(state.list, run),
    icon: STATUS_ICON[status],
    title: plain(run.title ?? run.goal),
    ...marksOf(run),
    facts: runFacts(run, cancelling, now),
    asks: run.asks,
    asking: askingFacts(run),
    menu: menuContext({ kind: "run", run }),
    actions: runActions(run),
    open: () => {
      send({ type: "openRun", taskId: run.id });
    },
    act: (action) => {
      send({ type: "act", action, task: { id: run.id } });
    },
  });
}

function runActions(run: RunRow): Act[] {
  if (!isLive(run)) {
    return [["resume", "debug-continue", LIST.resume], pinAct(run.pinned)];
  }
  const first: Act[] =
    run.asks !== undefined
      ? [["answer", "bell-dot", LIST.answer]]
      : run.status === "queued"
        ? [["startNow", "debug-start", LIST.startNow]]
        : [];
  const review: Act[] = run.changes === undefined ? [] : [["review", "diff-multiple", LIST.review]];
  return [...first, ...review, ["cancel", "debug-stop", LIST.cancel]];
}

function pinAct(pinned: true | undefined): Act {
  return pinned === true ? ["unpin", "pinned", LIST.unpin] : ["pin", "pin", LIST.pin];
}

function marksOf({ pinned, tags = [] }: Pick<RunRow, "pinned" | "tags">) {
  return { pinned: pinned === true, tags };
}

/** Render a stored task of any product. */
export function storedLine(
  view: View,
  { key, row: task }: Extract<Entry, { kind: "stored" }>,
  isCurrent: boolean,
): Part {
  const { state, now, send } = view;
  const { id, root } = task;
  const look = storedLook(task);
  const act = (action: Action): void => {
    send({ type: "act", action, task: { id, root } });
  };
  const { rows = [], pinned = [] } = state.list.history ?? {};
  return row(view, {
    ...{ key, isCurrent, act },
    isInFront: isInFront(state.list, task),
    status: look.status,
    icon: look.glyph,
    title: task.title || LIST.untitled,
    ...marksOf(task),
    facts: storedFacts(task, state.list.changes.get(key), now),
    menu: menuContext({
      kind: "stored",
      row: task,
      selected: state.list.selected,
      rows: [rows, pinned],
    }),
    actions: [
      pinAct(task.pinned),
      ...(task.own === true ? [["deleteTask", "trash", LIST.delete] as const] : []),
    ],
    open: () => {
      act("openStored");
    },
  });
}

function row(view: View, { key, isCurrent, asks, open, act, ...shown }: Row): Part {
  const { selected } = view.state.list;
  const tags = shown.tags.map(LIST.tag);
  const facts = { ...shown.facts, more: [...tags, ...shown.facts.more] };
  return html`<div
    class="entry ${asks === undefined ? "" : "entry-asks"}"
    data-vscode-context=${shown.menu}
  >
    <button
      type="button"
      class="agent ${selected.has(key) || shown.isInFront ? "selected" : ""}"
      data-key=${key}
      tabindex=${isCurrent ? 0 : -1}
      aria-current=${shown.isInFront ? "true" : nothing}
      aria-pressed=${selected.size > 1 ? selected.has(key) : nothing}
      title=${shown.title}
      @click=${(event: MouseEvent) => {
        view.send({ type: "select", keys: selectionAfterClick(event, view, key), anchor: key });
        if (!event.ctrlKey && !event.metaKey && !event.shiftKey) {
          open();
        }
      }}
      @focus=${() => {
        view.send({ type: "focusRow", key });
      }}
    >
      <span class="state state-${shown.status}">${icon(shown.icon)}</span>
      <span class="row-head">
        <span class="row-title"><bdi>${shown.title}</bdi></span>
        ${shown.pinned ? html`<span class="pinned" role="img" aria-label=${LIST.pinned}>${icon("pinned")}</span>` : undefined}
      </span>
      <span class="row-facts ${tags.length > 0 ? "row-tagged" : ""}">
        ${
          asks === undefined
            ? factParts(facts)
            : [
                html`<span class="row-asks"><bdi>${LIST.asks(asks)}</bdi></span>`,
                ...given(shown.asking ?? []).map(factPart),
              ]
        }
      </span>
    </button>
    <div class="row-actions">
      ${shown.actions.map(
        ([action, glyph, label]) =>
          html`<button
            type="button"
            class="icon-button"
            tabindex=${isCurrent ? 0 : -1}
            title=${label}
            aria-label=${LIST.actOn(label, shown.title)}
            @click=${() => {
              act(action);
            }}
          >
            ${icon(glyph)}
          </button>`,
      )}
    </div>
  </div>`;
}
