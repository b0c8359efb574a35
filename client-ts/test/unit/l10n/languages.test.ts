import { afterEach, beforeEach, expect, test, vi } from "vitest";

import * as deCommon from "../../../src/l10n/de/common.js";
import * as deDefinitions from "../../../src/l10n/de/definitions.js";
import * as deExporting from "../../../src/l10n/de/exporting.js";
import * as deHistory from "../../../src/l10n/de/history.js";
import * as deModel from "../../../src/l10n/de/model.js";
import * as deOutcome from "../../../src/l10n/de/outcome.js";
import * as deQueryHelp from "../../../src/l10n/de/queryHelp.js";
import * as deQuestions from "../../../src/l10n/de/questions.js";
import * as deReports from "../../../src/l10n/de/reports.js";
import * as deRuns from "../../../src/l10n/de/runs.js";
import * as deSetup from "../../../src/l10n/de/setup.js";
import * as deSidecar from "../../../src/l10n/de/sidecar.js";
import * as enCommon from "../../../src/l10n/en/common.js";
import * as enDefinitions from "../../../src/l10n/en/definitions.js";
import * as enExporting from "../../../src/l10n/en/exporting.js";
import * as enHistory from "../../../src/l10n/en/history.js";
import * as enModel from "../../../src/l10n/en/model.js";
import * as enOutcome from "../../../src/l10n/en/outcome.js";
import * as enQueryHelp from "../../../src/l10n/en/queryHelp.js";
import * as enQuestions from "../../../src/l10n/en/questions.js";
import * as enReports from "../../../src/l10n/en/reports.js";
import * as enRuns from "../../../src/l10n/en/runs.js";
import * as enSetup from "../../../src/l10n/en/setup.js";
import * as enSidecar from "../../../src/l10n/en/sidecar.js";
import * as dePage from "../../../webview/text/de.js";
import * as enPage from "../../../webview/text/en.js";

type Leaf = string | ((...values: never[]) => string);

/** Each English module with its German one, and what stays English: models and links read it. */
const PAIRS = [
  ["common", enCommon, deCommon, []],
  ["definitions", enDefinitions, deDefinitions, []],
  ["exporting", enExporting, deExporting, ["reports"]],
  ["history", enHistory, deHistory, []],
  ["model", enModel, deModel, ["tools", "review"]],
  ["outcome", enOutcome, deOutcome, []],
  ["questions", enQuestions, deQuestions, []],
  ["queryHelp", enQueryHelp, deQueryHelp, []],
  ["reports", enReports, deReports, ["UNKNOWN"]],
  ["runs", enRuns, deRuns, []],
  ["setup", enSetup, deSetup, []],
  ["sidecar", enSidecar, deSidecar, []],
  ["page", enPage, dePage, []],
] as const;

/** Texts that are the same word in both languages, or none, or that models read. */
const SAME = new Set([
  "QUESTION.macKey",
  ...["COMPOSER.onFleet", "COMPOSER.subagent", "FORM.optional", "PLAN.label", "QUESTION.folder"],
  ...["MINIMAP.kinds.plain", "fleet.nodeColumns.4", "fleet.nodeColumns.6", "fleet.runColumns.1"],
  ...["exporting.markdown", "facts.id", "facts.status", "facts.subagent"],
  ...["SERVICE.running", "confirmations.facts.agent", "mcp.label", "turns.prompt"],
]);

beforeEach(() => {
  vi.resetModules(); // other files may have loaded the texts in another language
});

afterEach(() => {
  vi.resetModules();
});

/** Return the texts in a module by their paths. */
function leaves(value: unknown, path: readonly string[] = []): [string, Leaf][] {
  return typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([key, member]) => leaves(member, [...path, key]))
    : [[path.join("."), value as Leaf]];
}

function without(texts: object, names: readonly string[]): object {
  return Object.fromEntries(Object.entries(texts).filter(([name]) => !names.includes(name)));
}

/** Call a text with values that can be found in it; lists where it wants lists. */
function filled(text: Leaf): string {
  if (typeof text === "string") {
    return text;
  }
  const call = text as (...values: unknown[]) => string;
  const values = Array.from({ length: text.length }, (_, at) => 7001 + at);
  const forms: readonly ((value: number) => unknown)[] = [(n) => n, String, (n) => [String(n)]];
  for (const form of forms) {
    try {
      return call(...values.map(form));
    } catch {
      // It wants values of another kind.
    }
  }
  throw new Error(`cannot be called: ${text.toString()}`);
}

/** The values that a text shows, whatever the language writes between thousands. */
function shownValues(text: string): string[] {
  return [...text.replaceAll(/(?<=\d)[.,](?=\d{3})/gu, "").matchAll(/70\d\d/gu)].map(String).sort();
}

test.each(PAIRS)("every text of the %s is there in German", (_, english, german, kept) => {
  const paths = leaves(without(english, kept)).map(([path]) => path);
  expect(leaves(german).map(([path]) => path)).toEqual(paths);
  expect(paths.length).toBeGreaterThan(10);
});

test.each(PAIRS)("a German text of the %s shows what the English one shows", (_, en, de, kept) => {
  const translated = new Map(leaves(de));
  for (const [path, text] of leaves(without(en, kept))) {
    const german = translated.get(path) ?? "";
    expect([path, typeof german]).toEqual([path, typeof text]);
    expect([path, shownValues(filled(german))]).toEqual([path, shownValues(filled(text))]);
  }
});

test.each(PAIRS)("no text of the %s was left in English", (_, english, german, kept) => {
  const translated = new Map(leaves(german));
  const left = leaves(without(english, kept))
    .filter(([path, text]) => typeof text === "string" && translated.get(path) === text)
    .map(([path]) => path)
    .filter((path) => !SAME.has(path));
  expect(left).toEqual([]);
});

test.each([
  ["en", "Running", "5m ago", "$1,234.50", "1,234", "1.5\u00A0KB"],
  ["de", "Läuft", "vor 5m", "1.234,50\u00A0$", "1.234", "1,5\u00A0KB"],
  ["de-AT", "Läuft", "vor 5m", "1.234,50\u00A0$", "1.234", "1,5\u00A0KB"],
  ["fr", "Running", "5m ago", "$1,234.50", "1,234", "1.5\u00A0KB"],
])("an editor in %s gets its words and figures", async (locale, status, age, cost, count, size) => {
  const { setLanguage } = await import("../../../src/l10n/language.js");
  setLanguage(locale);
  const { outcome } = await import("../../../src/text/outcomeStrings.js");
  const { ago, dollars, plural } = await import("../../../src/l10n/format.js");
  expect(outcome.status.running).toBe(status);
  expect(ago(0, 300_000)).toBe(age);
  expect(dollars(1234.5)).toBe(cost);
  expect(plural(1234, "", "")).toBe(`${count} `);
  const { byteSize } = await import("../../../src/text/words.js");
  expect(byteSize(1536)).toBe(size);
});

test("a German window has German words for what the sidecar words in English, and for counts", async () => {
  const { setLanguage } = await import("../../../src/l10n/language.js");
  setLanguage("de");
  const { scopeWords } = await import("../../../src/questions/scopeWords.js");
  expect(
    [
      ...["edits to src/a.py, b.py", "deleting a", "moving a, b", "requests to example.com"],
      ...["`npm test` in this workspace", "`a` as separate words in this workspace"],
      ...["reads in this workspace", "searches in this workspace", "`npm test` in /srv"],
      "this exact call of fetch: {}",
    ].map(scopeWords),
  ).toEqual([
    ...["Änderungen an src/a.py, b.py", "Löschen von a", "Verschieben von a, b"],
    ...["Anfragen an example.com", "`npm test` in diesem Arbeitsbereich"],
    "`a` as separate words in this workspace",
    ...["Lesen in diesem Arbeitsbereich", "Suchen in diesem Arbeitsbereich"],
    ...["`npm test` in /srv", "genau dieser Aufruf von fetch: {}"],
  ]);
  const { changeWords } = await import("../../../src/text/runWords.js");
  const changes = { files: 1, additions: 1, deletions: 1 };
  expect(changeWords(changes)).toBe("1 Datei +1 −1");
  expect(changeWords({ ...changes, files: 2 })).toBe("2 Dateien +1 −1");
  const { ago } = await import("../../../src/l10n/format.js");
  expect(ago(0, 90_000_000)).toBe("vor 1T");
  const { diffOf } = await import("../../../webview/model/conversation/diff.js");
  const lines = Array.from({ length: 9 }, (_, at) => `${at}\n`).join("");
  expect(diffOf(lines, `${lines}9\n`).rows[0]?.text).toBe("Zeile 7");
  const { cutMiddle } = await import("../../../src/text/cutting.js");
  expect(cutMiddle("abcdefghij", 9)).toContain("(1 Zeichen ausgelassen)");
  const { itemsOf } = await import("../../../src/commands/history/taskSearch.js");
  const hits = ["user", "assistant", "ghost"].map((role, index) => ({
    ...{ taskId: "t", root: "/r", title: "Dach", kind: "ui" as const, index, role, snippet: "x" },
  }));
  const tasks = { text: "x", items: [], matched: 0, total: 1 };
  const rows = itemsOf(tasks, { text: "x", hits, unread: 0, partly: [] }, new Map(), 0);
  expect(rows.map(({ description }) => description)).toEqual([
    ...["Dach · Benutzer", "Dach · Assistent", "Dach · ghost"],
  ]);
});

test("in English the words of the sidecar stay as they are", async () => {
  const { scopeWords } = await import("../../../src/questions/scopeWords.js");
  for (const scope of ["edits to a", "`npm test` in this workspace", "`x` in /srv", "anything"]) {
    expect(scopeWords(scope)).toBe(scope);
  }
});
