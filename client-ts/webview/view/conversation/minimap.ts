import { html } from "lit-html";
import { guard } from "lit-html/directives/guard.js";

import type { Turn } from "../../../src/panel/turns/turnIndex.js";
import { marksOf, nextNotable, type TurnMark, turnAt } from "../../model/conversation/turns.js";
import type { OpenRun } from "../../model/openRun.js";
import { plain } from "../../text/format.js";
import { MINIMAP } from "../../text/strings.js";
import type { Part, View } from "../common/view.js";

/** With fewer turns than this, everything is near. */
const FEWEST = 3;

/** A mark, and what describes the turn to which it leads. */
interface NamedMark extends TurnMark {
  readonly words: string;
}

/** Render the turns of a run, one mark each, as a slider that shows and moves where the reader is. */
export function minimap({ send }: View, { turns = [], at }: OpenRun): Part {
  if (turns.length < FEWEST) {
    return undefined;
  }
  const current = at === undefined ? turns.length - 1 : turnAt(turns, at);
  const go = (to: number): void => {
    const seq = turns[to]?.seq;
    send(seq === undefined ? { type: "jumpToEnd" } : { type: "jumpTo", seq });
  };
  return html`<div
    class="minimap"
    role="slider"
    tabindex="0"
    aria-orientation="vertical"
    aria-controls="scroller"
    aria-label=${MINIMAP.label}
    aria-valuemin="1"
    aria-valuemax=${turns.length}
    aria-valuenow=${current + 1}
    aria-valuetext=${wordsOf(turns, current)}
    @keydown=${(event: KeyboardEvent) => {
      const to = targetOf(event, turns, current);
      if (to !== undefined) {
        event.preventDefault();
        go(to);
      }
    }}
    @click=${({ target }: MouseEvent) => {
      const mark = target instanceof Element ? target.closest<HTMLElement>("[data-turn]") : null;
      if (mark !== null) {
        go(Number(mark.dataset["turn"]));
      }
    }}
  >
    ${guard([turns, current], () => namedMarks(turns).map((mark) => markView(mark, current)))}
  </div>`;
}

const named = new WeakMap<readonly Turn[], readonly NamedMark[]>();

/** Return the marks and their words, which stay the same while the reader scrolls. */
function namedMarks(turns: readonly Turn[]): readonly NamedMark[] {
  const marks =
    named.get(turns) ?? marksOf(turns).map((mark) => ({ ...mark, words: wordsOf(turns, mark.to) }));
  named.set(turns, marks);
  return marks;
}

function markView(mark: NamedMark, current: number): Part {
  const isHere = mark.first <= current && current < mark.end;
  return html`<span
    class="turn turn-${mark.kind} ${isHere ? "here" : ""}"
    data-turn=${mark.to}
    title=${mark.words}
  ></span>`;
}

/** Return the turn to which a key leads; beyond the last one is the end of the conversation. */
function targetOf(
  { key, altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent,
  turns: readonly Turn[],
  current: number,
): number | undefined {
  if (altKey || ctrlKey || metaKey || shiftKey) {
    return undefined;
  }
  switch (key) {
    case "ArrowUp":
    case "ArrowLeft":
      return Math.max(0, current - 1);
    case "ArrowDown":
    case "ArrowRight":
      return current + 1;
    case "PageUp":
      return nextNotable(turns, current, -1) ?? 0;
    case "PageDown":
      return nextNotable(turns, current, 1) ?? turns.length;
    case "Home":
      return 0;
    case "End":
      return turns.length;
    default:
      return undefined;
  }
}

function wordsOf(turns: readonly Turn[], at: number): string {
  const { kind, text } = turns[at] ?? { kind: "plain" as const, text: "" };
  return MINIMAP.turn(at + 1, turns.length, MINIMAP.kinds[kind], plain(text));
}
