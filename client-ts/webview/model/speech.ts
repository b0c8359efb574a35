import type { LaunchProblem } from "../../src/refusals/launchProblem.js";
import type { ToWebview } from "../../src/panel/messages.js";
import { omit } from "../../src/util/omit.js";

/** A message that is not delivered yet. */
export interface Unsaid {
  readonly text: string;
  /** When it is delivered; undefined until the sidecar accepts it. */
  readonly delivery?: "now" | "nextTurn";
}

/** The messages of the reader to the agent of one run. */
export interface Speech {
  /** The draft. */
  readonly text: string;
  readonly unsaid: readonly Unsaid[];
  /** Whether the reader is resuming an ended run: writing, or waiting for the sidecar. */
  readonly resume?: "writing" | "sending";
  /** Why the last message or resume was refused. */
  readonly problem?: string;
  /** Whether the refused resume can be queued; `setting` is the one to change. */
  readonly canQueue?: boolean;
  readonly setting?: NonNullable<LaunchProblem["setting"]>;
}

/** Speech by run id; runs without any are absent. */
export type Speeches = ReadonlyMap<string, Speech>;

export type SpeechEvent =
  | Extract<
      ToWebview,
      {
        type:
          | "sent"
          | "sendFailed"
          | "undelivered"
          | "resumed"
          | "resumeFailed"
          | "events"
          | "addToMessage";
      }
    >
  | { readonly type: "sendAgain" | "discard"; readonly taskId: string; readonly text: string }
  | { readonly type: "writeMessage"; readonly taskId: string; readonly text: string }
  | {
      readonly type: "sendMessage" | "beginResume" | "dropResume" | "resume" | "queueResume";
      readonly taskId: string;
    };

const SILENCE: Speech = { text: "", unsaid: [] };

/** Return the speech to the agent of a run. */
export function speechTo(speeches: Speeches, taskId: string): Speech {
  return speeches.get(taskId) ?? SILENCE;
}

/** Apply an event to the speeches. Pure. */
export function reduceSpeeches(speeches: Speeches, event: SpeechEvent): Speeches {
  const before = speechTo(speeches, event.taskId);
  const after = reduceSpeech(before, event);
  return after === before ? speeches : withSpeech(speeches, event.taskId, after);
}

function withSpeech(speeches: Speeches, taskId: string, speech: Speech): Speeches {
  const next = new Map(speeches);
  if (isSilent(speech)) {
    next.delete(taskId);
  } else {
    next.set(taskId, speech);
  }
  return next;
}

function reduceSpeech(speech: Speech, event: SpeechEvent): Speech {
  switch (event.type) {
    case "writeMessage":
      return { ...withoutProblem(speech), text: event.text };
    case "addToMessage":
      return {
        ...withoutProblem(speech),
        text: [speech.text, event.text].filter((each) => !isBlank(each)).join("\n\n"),
      };
    case "sendMessage":
      return isBlank(speech.text)
        ? speech
        : {
            ...withoutProblem(speech),
            text: "",
            unsaid: [...speech.unsaid, { text: speech.text }],
          };
    case "sent":
      return taken(speech, event.text, event.delivery);
    case "sendFailed":
      return refused(speech, event.text, event.message);
    case "events":
      return [...(event.facts ?? []), ...event.events].reduce(
        (current: Speech, entry) =>
          entry.type === "message" && entry.role === "user"
            ? {
                ...current,
                unsaid: withoutFirst(current.unsaid, ({ text }) => text === entry.text),
              }
            : current,
        speech,
      );
    case "undelivered":
      return {
        ...speech,
        text: event.texts.reduce(withoutWritten, speech.text),
        unsaid: withUndelivered(speech.unsaid, event.texts),
      };
    case "sendAgain":
      return { ...rewritten(withoutProblem(speech), [event.text]), resume: "writing" };
    case "discard":
      return { ...speech, unsaid: withoutTaken(speech.unsaid, event.text) };
    case "beginResume":
      return { ...rewritten(withoutProblem(speech), takenTexts(speech)), resume: "writing" };
    case "resume":
    case "queueResume":
      return { ...withoutProblem(speech), resume: "sending" };
    case "resumeFailed": {
      const { message: problem, canQueue, setting } = event;
      const remedy = setting === undefined ? {} : { setting };
      return { ...omit(speech, "setting"), resume: "writing", problem, canQueue, ...remedy };
    }
    case "resumed":
      return { text: "", unsaid: speech.unsaid };
    case "dropResume":
      return { text: "", unsaid: speech.unsaid };
  }
}

/** Forget why the agent of a run that has ended refused a message: what is written now continues it. */
export function withoutRefusal(speeches: Speeches, taskId: string): Speeches {
  const speech = speechTo(speeches, taskId);
  return speech.problem === undefined || speech.resume !== undefined
    ? speeches
    : withSpeech(speeches, taskId, withoutProblem(speech));
}

/** Forget the refusals that something else than words has settled. */
export function withoutRefusals(
  speeches: Speeches,
  isSettled: (refusal: Pick<Speech, "canQueue" | "setting">) => boolean,
): Speeches {
  return [...speeches].reduce(
    (all, [taskId, speech]) =>
      isSettled(speech) ? withSpeech(all, taskId, withoutProblem(speech)) : all,
    speeches,
  );
}

function withoutProblem(speech: Speech): Speech {
  return omit(speech, "problem", "canQueue", "setting");
}

/** Return the messages that the sidecar accepted and has not delivered. */
export function takenTexts({ unsaid }: Speech): string[] {
  return unsaid.flatMap(({ text, delivery }) => (delivery === undefined ? [] : [text]));
}

function withUndelivered(unsaid: readonly Unsaid[], texts: readonly string[]): readonly Unsaid[] {
  const others = texts.filter((text) => !unsaid.some((each) => each.text === text));
  return [...others.map((text) => ({ text, delivery: "nextTurn" as const })), ...unsaid];
}

/** Remove an accepted message from a draft that was saved before the sidecar accepted it. */
function withoutWritten(draft: string, text: string): string {
  if (draft === text) {
    return "";
  }
  return draft.startsWith(`${text}\n\n`) ? draft.slice(text.length + 2) : draft;
}

/** Put undelivered messages in front of the draft. */
function rewritten(speech: Speech, texts: readonly string[]): Speech {
  return {
    ...speech,
    unsaid: texts.reduce(withoutTaken, speech.unsaid),
    text: [...texts, speech.text].filter((each) => !isBlank(each)).join("\n\n"),
  };
}

function withoutTaken(unsaid: readonly Unsaid[], text: string): readonly Unsaid[] {
  return withoutFirst(unsaid, (each) => each.text === text && each.delivery !== undefined);
}

function taken(speech: Speech, text: string, delivery: Unsaid["delivery"] & string): Speech {
  const at = speech.unsaid.findIndex((each) => each.text === text && each.delivery === undefined);
  return at < 0
    ? speech // It is delivered already.
    : { ...speech, unsaid: speech.unsaid.with(at, { text, delivery }) };
}

/** Put a refused message back into the draft; after a reload it is there already. */
function refused(speech: Speech, text: string, problem: string): Speech {
  const unsaid = withoutFirst(
    speech.unsaid,
    (each) => each.text === text && each.delivery === undefined,
  );
  const back = unsaid === speech.unsaid ? [] : [text];
  const words = [...back, speech.text].filter((each) => !isBlank(each)).join("\n\n");
  return { ...speech, unsaid, problem, text: words };
}

/** Return the text that must survive the page: all that is not accepted. */
export function unsentText({ text, unsaid }: Speech): string {
  const sending = unsaid.filter(({ delivery }) => delivery === undefined);
  return [...sending.map((each) => each.text), text].filter((each) => !isBlank(each)).join("\n\n");
}

function isSilent({ text, unsaid, resume, problem }: Speech): boolean {
  return text === "" && unsaid.length === 0 && resume === undefined && problem === undefined;
}

function isBlank(text: string): boolean {
  return text.trim() === "";
}

/** Return a copy without the first matching member, or the same array if none matches. */
function withoutFirst<T>(all: readonly T[], fits: (each: T) => boolean): readonly T[] {
  const at = all.findIndex(fits);
  return at < 0 ? all : all.toSpliced(at, 1);
}
