/** What a part of code is; each kind has a color in `code.css`. */
export const KINDS = [
  "keyword",
  "string",
  "number",
  "name",
  "comment",
  "added",
  "removed",
] as const;
export type Kind = (typeof KINDS)[number];

/** The syntax of a language, as far as colors show it. */
export interface Syntax {
  /** Finds the parts of code, each in a group with the name of its kind, or `word`. */
  readonly pattern: RegExp;
  readonly keywords: ReadonlySet<string>;
  /** A word or a text in quotes before one of these characters is a name. */
  readonly nameBefore: string;
}

/** The parts of code by their groups, as sources of regular expressions; the first that fits wins. */
type Parts = { readonly [K in Kind | "word"]?: string };

// No pattern gives up once it has begun, so the time grows as the code does, whatever it is: an unclosed quote
// ends with its line, an unclosed comment with the code.
const END = "(?![^])";
export const SLASHES = String.raw`\/\/[^\n]*`;
export const STARS = String.raw`\/\*[^]*?(?:\*\/|${END})`;
export const HASH = String.raw`#[^\n]*`;
export const DASHES = String.raw`--[^\n]*`;
export const ANGLES = String.raw`<!--[^]*?(?:-->|${END})`;
export const DOUBLE = String.raw`"(?:[^"\\\n]|\\[^])*"?`;
export const SINGLE = String.raw`'(?:[^'\\\n]|\\[^])*'?`;
export const BACKTICKS = "`(?:[^`\\\\]|\\\\[^])*`?";
export const TRIPLE = String.raw`"""[^]*?(?:"""|${END})|'''[^]*?(?:'''|${END})`;
/** A word that may have dashes, as in style sheets. */
export const DASHED = String.raw`[\p{L}_$@-][\p{L}\p{N}_-]*`;

/** Words are found whole, so that no number and no quote begins inside of one. */
const USUAL: Parts = {
  comment: `${SLASHES}|${STARS}`,
  string: `${DOUBLE}|${SINGLE}`,
  word: String.raw`[\p{L}_$@][\p{L}\p{N}_$]*`,
  number: String.raw`\d\w*(?:\.\d\w*)?`,
};

/** Describe a language by its keywords and by what differs from most languages. */
export function syntax(keywords: string, parts: Parts = {}, nameBefore = "("): Syntax {
  return syntaxOf({ ...USUAL, ...parts }, keywords, nameBefore);
}

/** Describe a language by its parts. */
export function syntaxOf(parts: Parts, keywords = "", nameBefore = ""): Syntax {
  const groups = Object.entries(parts).map(([name, source]) => `(?<${name}>${source})`);
  const pattern = new RegExp(groups.join("|"), "gmu");
  return { pattern, keywords: new Set(keywords.split(" ")), nameBefore };
}
