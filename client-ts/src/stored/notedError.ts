/** The name of the call as which a conversation gets an error that a product noted. */
export const NOTED_ERROR = "(error)";

/** Whether a call is such an error. An agent may name a call like it, too: what that does or asks is shown as a call. */
export function isNotedError(call: {
  readonly name: string;
  readonly status: string;
  readonly input?: unknown;
  readonly diffs?: unknown;
  readonly question?: unknown;
}): boolean {
  const { name, status, input, diffs, question } = call;
  const isPlain = input === undefined && diffs === undefined && question === undefined;
  return name === NOTED_ERROR && status === "failed" && isPlain;
}
