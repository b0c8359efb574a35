import type { FormDrafts } from "../../model/questions/inquiry.js";
import type { View } from "../common/view.js";

/** What a question is drawn from, apart from itself. */
export interface FormContext {
  /** Whether the run is unfinished, so that its questions are open. */
  readonly live: boolean;
  readonly answering: ReadonlySet<string>;
  /** What was entered in the forms of questions, by request id. */
  readonly forms: FormDrafts;
  readonly send: View["send"];
}
