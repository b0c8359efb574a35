import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

import ts from "typescript";
import { expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const ENTRY = "src/extension.ts";
const MOST_MODULES = 15;

/** The relative imports of each module, type imports included, by paths below the package. */
const IMPORTS = new Map(["src", "webview"].flatMap(modules).map((file) => [file, importsOf(file)]));

function modules(folder: string): string[] {
  return readdirSync(path.join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => path.posix.join(folder, name.replaceAll("\\", "/")));
}

function importsOf(file: string): string[] {
  const { importedFiles } = ts.preProcessFile(readFileSync(path.join(ROOT, file), "utf8"));
  return importedFiles
    .map(({ fileName }) => fileName)
    .filter((name) => name.startsWith("."))
    .map((name) => path.posix.join(path.posix.dirname(file), name).replace(/\.js$/u, ".ts"));
}

/** Return the nodes that are left after removing, again and again, those that import no other. */
function inCircles(graph: ReadonlyMap<string, readonly string[]>): string[] {
  let left = [...graph.keys()];
  for (;;) {
    const kept = left.filter((node) => graph.get(node)?.some((other) => left.includes(other)));
    if (kept.length === left.length) {
      return kept;
    }
    left = kept;
  }
}

/** Return which folders the modules of each folder import from; the entry point joins them all. */
function foldersOf(part: string): Map<string, string[]> {
  const graph = new Map<string, string[]>();
  for (const [file, imports] of IMPORTS) {
    const folder = path.posix.dirname(file);
    const others = imports.map((name) => path.posix.dirname(name));
    const outside = others.filter((other) => other !== folder && other.startsWith(part));
    if (folder.startsWith(part) && file !== ENTRY) {
      graph.set(folder, [...(graph.get(folder) ?? []), ...outside]);
    }
  }
  return graph;
}

test("every import names a module that exists", () => {
  const named = [...IMPORTS.values()].flat();
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter((name) => !IMPORTS.has(name))).toEqual([]);
});

test("no modules import each other in a circle", () => {
  expect(
    inCircles(
      new Map([
        ["a", ["b"]],
        ["b", ["a"]],
        ["c", []],
      ]),
    ),
  ).toEqual(["a", "b"]);
  expect(inCircles(IMPORTS)).toEqual([]);
});

test.each(["src", "webview"])("no folders of %s import each other in a circle", (part) => {
  expect(inCircles(foldersOf(part))).toEqual([]);
});

test("no folder has more modules than a reader can survey", () => {
  const sizes = new Map<string, number>();
  for (const file of IMPORTS.keys()) {
    const folder = path.posix.dirname(file);
    sizes.set(folder, (sizes.get(folder) ?? 0) + 1);
  }
  expect([...sizes].filter(([, size]) => size > MOST_MODULES)).toEqual([]);
});

test("the extension imports nothing of the page, and the client nothing of the editor", () => {
  for (const [file, imports] of IMPORTS) {
    if (file.startsWith("src/")) {
      expect(imports.filter((name) => name.startsWith("webview/"))).toEqual([]);
    }
    if (file.startsWith("src/client/")) {
      expect(readFileSync(path.join(ROOT, file), "utf8")).not.toMatch(/from "vscode"/u);
    }
  }
});
