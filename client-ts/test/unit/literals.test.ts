import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

import ts from "typescript";
import { expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Modules that consist of texts, or of keywords; the new definition and the help on queries are documents. */
const TEXTS =
  /^src\/l10n\/|^webview\/text\/(?:en|de)\.ts$|\/queryHelp\.ts$|\/definitionFile\.ts$|^src\/protocol\.ts$|\/languages\.ts$/u;
/** Calls whose texts only developers read: the log, errors in the code, and selectors. */
const UNSEEN = /(?:^|[.#])(?:log|onStderr|querySelector|closest|matches|test|(?:Response)?Error)$/u;
/** Literals that need no words: keys, names of folders, styles, what pip prints, and names of products. */
const ALLOWED = new Set([
  ...[
    "End",
    "Enter",
    "Escape",
    "Tab",
    "Delete",
    "Home",
    "Alt",
    "Control",
    "Meta",
    "Shift",
    "transform: translateY(",
    "Local",
    "Library",
    "Application Support",
    "Scripts",
    "link file",
    "Python ",
    "Ray ",
  ],
  ...["codicon codicon-", "Installing collected packages"],
  ...["Claude Code", "Codex", "Gemini CLI", "Qwen Code", "Kilo Code"],
]);
/** Lists of tags, and programs. */
const CODE = /\b(?:br|h1)\b|^import sys;|^on run texts\n/u;
/** Attributes that a reader or a screen reader gets. */
const READ_ATTRIBUTES = /\b(?:aria-label|title|placeholder|alt)="[^"]*\p{L}[^"]*"/gu;

function modules(): string[] {
  return ["src", "webview"]
    .flatMap((folder) =>
      readdirSync(path.join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((name) =>
        path.posix.join(folder, name.replaceAll("\\", "/")),
      ),
    )
    .filter((file) => file.endsWith(".ts") && !TEXTS.test(file));
}

/** Return the texts in a module that a person could read. */
function textsIn(source: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (isUnseen(node)) {
      return;
    }
    if (ts.isTaggedTemplateExpression(node) && node.tag.getText() === "html") {
      found.push(...textsOfMarkup(node.template));
    } else if (ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node)) {
      found.push(...(isProse(node.text) ? [node.text] : []));
    }
    ts.forEachChild(node, ts.isTaggedTemplateExpression(node) ? visitParts : visit);
  };
  /** Visit what is put into a template, not its markup. */
  const visitParts = (node: ts.Node): void => {
    if (ts.isTemplateExpression(node)) {
      for (const { expression } of node.templateSpans) {
        visit(expression);
      }
    }
  };
  visit(ts.createSourceFile("module.ts", source, ts.ScriptTarget.Latest, true));
  return found;
}

function isUnseen(node: ts.Node): boolean {
  return (
    ts.isImportDeclaration(node) ||
    ts.isTypeNode(node) ||
    ((ts.isCallExpression(node) || ts.isNewExpression(node)) &&
      UNSEEN.test(node.expression.getText()))
  );
}

/** Whether a literal reads like English: two words, or one that begins with a capital. */
function isProse(text: string): boolean {
  return (
    /(?:^|\s)\p{L}{2,}[,:.]? \p{L}+|^ ?\p{Lu}\p{Ll}+…?[ :]?$/u.test(text) &&
    !ALLOWED.has(text) &&
    !CODE.test(text)
  );
}

/** Return the words between the tags of a template and in attributes that are read. */
function textsOfMarkup(template: ts.TemplateLiteral): string[] {
  const markup = ts.isTemplateExpression(template)
    ? [template.head, ...template.templateSpans.map(({ literal }) => literal)]
        .map(({ text }) => text)
        .join('""')
        .replaceAll('"""', '"')
    : template.text;
  const words = markup.replace(/<[^>]*>/gu, "\n").match(/\p{L}{2,}.*/gu) ?? [];
  return [...words, ...(markup.match(READ_ATTRIBUTES) ?? [])];
}

test("the search for texts finds them, and only them", () => {
  const source = `
    import x from "./Some module";
    log("Nobody reads this");
    const a: "Type only" = f("status", "two words", "Title", \`\${n} more rows\`);
    html\`<p class="a b" title="Open">\${a}<b>Bold</b>\${x ? "Not here" : ""}</p>\`;
    throw new Error("For developers");
  `;
  expect(textsIn(source).sort()).toEqual(
    ["two words", "Title", " more rows", 'title="Open"', "Bold", "Not here"].sort(),
  );
});

test("texts that people read are only in the modules of texts", () => {
  const files = modules();
  expect(files.length).toBeGreaterThan(100);
  const found = files.map((file) => [file, textsIn(readFileSync(path.join(ROOT, file), "utf8"))]);
  expect(found.filter(([, texts]) => texts?.length !== 0)).toEqual([]);
});
