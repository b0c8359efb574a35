import { syntaxNamed } from "./languages.js";
import { type Kind, KINDS, type Syntax } from "./syntax.js";

/** A part of code, by its characters. */
export interface CodeToken {
  readonly kind: Kind;
  readonly start: number;
  readonly end: number;
}

type Groups = Readonly<Record<string, string | undefined>>;

/** Return the parts of code that have a color, in their order. */
export function tokensOf(code: string, language: string): readonly CodeToken[] {
  const syntax = syntaxNamed(language);
  if (syntax === undefined) {
    return [];
  }
  return [...code.matchAll(syntax.pattern)].flatMap(({ 0: text, groups = {}, index: start }) => {
    const end = start + text.length;
    const kind = kindOf(groups, syntax, code.charAt(end));
    return kind === undefined ? [] : [{ kind, start, end }];
  });
}

function kindOf(groups: Groups, { keywords, nameBefore }: Syntax, next: string): Kind | undefined {
  const { word, string } = groups;
  if (word !== undefined && keywords.has(word)) {
    return "keyword";
  }
  const canBeName = word !== undefined || string !== undefined;
  return canBeName && next !== "" && nameBefore.includes(next)
    ? "name"
    : KINDS.find((kind) => groups[kind] !== undefined);
}
