import type { TemplateResult } from "lit-html";

import type { Event } from "../../model/events.js";
import type { State } from "../../model/state.js";

/** What each part of the page is drawn from. */
export interface View {
  readonly state: State;
  /** ms since the epoch. */
  readonly now: number;
  readonly send: (event: Event) => void;
}

/** A part of the page; lit renders undefined as nothing. */
export type Part = TemplateResult | undefined;
