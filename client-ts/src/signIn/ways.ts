import type { AsyncTask, RunnerInfo } from "../protocol.js";

/** A command that signs in to an agent. */
export interface SignInWay {
  /** The name of the agent's runner. */
  readonly runner: string;
  /** What the agent calls it, if the command is the agent's own. */
  readonly name?: string;
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Whether a run failed because a person has to sign in, as far as its agent or its model says. */
export function needsSignIn({
  status,
  reason,
  errorKind,
}: Pick<AsyncTask, "status" | "reason" | "errorKind">): boolean {
  return status === "failed" && (reason === "authRequired" || errorKind === "auth");
}

/** Return the commands that sign in to an agent: those that it names, or else the one that is known. */
export function waysToSignIn({
  name: runner,
  auth,
}: Pick<RunnerInfo, "name" | "auth">): SignInWay[] {
  const named = (auth?.methods ?? []).flatMap(({ name, command, env }) =>
    command === undefined ? [] : [{ runner, name, command, ...(env && { env }) }],
  );
  const known = auth?.command === undefined ? [] : [{ runner, command: auth.command }];
  return (named.length > 0 ? named : known).filter(({ command }) => command.every(isPlain));
}

/** Return a command as a line for a shell. */
export function commandLine({ command }: Pick<SignInWay, "command">): string {
  return command.map(quoted).join(" ");
}

/** A line break would end the command in a terminal. */
function isPlain(word: string): boolean {
  return !/\p{Cc}/u.test(word);
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
