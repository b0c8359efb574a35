import * as strings from "../text/strings.js";

type Scope = keyof typeof strings.questions.scopes;

/** How the sidecar words what an "always" covers; what is not among these, such as a command elsewhere, stays. */
const WORDED: readonly (readonly [RegExp, Scope])[] = [
  [/^edits to (?<what>.+)$/su, "edits"],
  [/^deleting (?<what>.+)$/su, "deletions"],
  [/^moving (?<what>.+)$/su, "moves"],
  [/^requests to (?<what>.+)$/su, "requests"],
  [/^this exact call of (?<what>.+)$/su, "call"],
  [/^(?<what>`.+`) in this workspace$/su, "command"],
  [/^reads in this workspace$/u, "reads"],
  [/^searches in this workspace$/u, "searches"],
];

/** Return the scope of an "always" in the language of the editor. */
export function scopeWords(scope: string): string {
  for (const [worded, name] of WORDED) {
    const found = worded.exec(scope);
    if (found !== null) {
      const words = strings.questions.scopes[name];
      return typeof words === "string" ? words : words(found.groups?.["what"] ?? "");
    }
  }
  return scope;
}
