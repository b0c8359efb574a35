import {
  ANGLES,
  BACKTICKS,
  DASHED,
  DASHES,
  DOUBLE,
  HASH,
  SINGLE,
  SLASHES,
  STARS,
  type Syntax,
  syntax,
  syntaxOf,
  TRIPLE,
} from "./syntax.js";

const C =
  "auto bool break case catch char class const continue default delete do double else enum extern " +
  "false final finally float for if int interface long namespace new null private protected public " +
  "return short static struct switch this throw true try using virtual void while";
const SCRIPT =
  "as async await break case catch class const continue default delete do else enum export extends " +
  "false finally for from function if implements import in instanceof interface let new null of " +
  "private protected public readonly return static super switch this throw true try type typeof " +
  "undefined var void while yield";
const PYTHON =
  "and as assert async await break class continue def del elif else except False finally for from " +
  "global if import in is lambda match None nonlocal not or pass raise return self True try while with yield";
const SHELL =
  "case cd do done echo elif else esac exit export fi for function if in local return set shift then " +
  "unset until while";
const GO =
  "break case chan const continue default defer else false for func go if import interface map nil " +
  "package range return select struct switch true type var";
const RUST =
  "as async await break const continue crate dyn else enum false fn for if impl in let loop match mod " +
  "move mut pub ref return self Self static struct super trait true type unsafe use where while";
const RUBY =
  "begin class def do else elsif end ensure false if module nil require rescue return self then true " +
  "unless until when while yield";
const SQL =
  "add all alter and as asc between by case create default delete desc distinct drop else end exists " +
  "foreign from full group having in index inner insert into is join key left like limit not null on or " +
  "order outer primary references right select set table then union unique update values view when where with";
const OBJECTS = `${C} async await extends fun func get import in internal is let object override set string val var when`;

const WITH_BACKTICKS = { string: `${DOUBLE}|${SINGLE}|${BACKTICKS}` };

/** The languages by the names that follow a fence. */
const LANGUAGES: readonly (readonly [names: string, syntax: Syntax])[] = [
  ["javascript js jsx mjs cjs typescript ts tsx mts cts", syntax(SCRIPT, WITH_BACKTICKS)],
  ["json jsonc json5 jsonl", syntax("true false null", {}, ":")],
  ["python py", syntax(PYTHON, { comment: HASH, string: `${TRIPLE}|${DOUBLE}|${SINGLE}` })],
  ["bash sh shell zsh console", syntax(SHELL, { comment: HASH, word: DASHED }, "=(")],
  [
    "c h cpp c++ cc hpp",
    syntax(`${C} goto include inline nullptr sizeof template typedef unsigned`),
  ],
  ["java csharp cs c# kotlin kt swift scala dart", syntax(OBJECTS)],
  ["go golang", syntax(GO, WITH_BACKTICKS)],
  // A single quote may begin a lifetime.
  ["rust rs", syntax(RUST, { string: DOUBLE })],
  ["ruby rb", syntax(RUBY, { comment: HASH })],
  [
    "php",
    syntax(`${SCRIPT} echo foreach namespace use`, { comment: `${SLASHES}|${STARS}|${HASH}` }),
  ],
  ["sql sqlite postgresql mysql", syntax(`${SQL} ${SQL.toUpperCase()}`, { comment: DASHES })],
  ["css scss less", syntax("", { comment: STARS, word: DASHED }, ":(")],
  ["yaml yml", syntax("true false null", { comment: HASH, word: DASHED }, ":")],
  ["toml ini", syntax("true false", { comment: HASH }, "=")],
  ["dockerfile makefile", syntax("FROM RUN COPY ENV CMD ARG WORKDIR", { comment: HASH })],
  [
    "html xml svg vue",
    syntaxOf(
      {
        comment: ANGLES,
        keyword: String.raw`<[\/!?]?[\w:.\-]*|\/?>`,
        string: DOUBLE,
        word: String.raw`[\w:][\w:.\-]*`,
      },
      "",
      "=",
    ),
  ],
  [
    "diff patch",
    syntaxOf({
      comment: String.raw`^(?:@@|diff |index |--- |\+\+\+ )[^\n]*`,
      added: String.raw`^\+[^\n]*`,
      removed: "^-[^\\n]*",
    }),
  ],
];

const BY_NAME = new Map(
  LANGUAGES.flatMap(([names, each]) => names.split(" ").map((name) => [name, each] as const)),
);

/** Return the name of a language whose code is colored, from the words after a fence. */
export function languageOf(info: string): string | undefined {
  const [name = ""] = info
    .trim()
    .toLowerCase()
    .split(/[\s,:{]/u, 1);
  return BY_NAME.has(name) ? name : undefined;
}

/** Return the syntax of a language, by its name. */
export function syntaxNamed(name: string): Syntax | undefined {
  return BY_NAME.get(name);
}
