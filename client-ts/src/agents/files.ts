import * as vscode from "vscode";

import { imagePaths } from "../offers/equipment.js";
import { IgnoredFiles, ignoredPatterns, withoutIgnored } from "./ignored.js";

/** How many files are read to find the best of them. */
const MOST_READ = 1_000;
const MOST_FOUND = 12;
/** What has a meaning in a pattern. */
const SPECIAL = /[*?[\]{},!\\]/gu;

const ignoredFiles = new IgnoredFiles();

/**
 * Find files of the open folders by a part of their path, or else by some of its letters; the best first, as
 * users write paths. What git ignores and searches of the editor leave out is found if nothing else is.
 */
export async function findFiles(text: string): Promise<readonly string[]> {
  const [part, letters] = [patternOf(text), lettersOf(text)];
  const searches = [part, ...(letters === undefined ? [] : [letters])];
  for (const search of [...searches.map(findShown), () => findAll(part)]) {
    const found = await search();
    if (found.length > 0) {
      return ranked(found, text).slice(0, MOST_FOUND);
    }
  }
  return [];
}

/** Return a search for files that searches of the editor and git leave. */
function findShown(pattern: string): () => Promise<string[]> {
  const settings = vscode.workspace.getConfiguration("search");
  const setting = settings.get<Readonly<Record<string, unknown>>>("exclude", {});
  return async () => {
    const folders = vscode.workspace.workspaceFolders ?? [];
    const found = await Promise.all(
      folders.map(async (folder) => {
        // A folder that is not trusted may make git run programs.
        const isTrusted = vscode.workspace.isTrusted;
        const ignored = isTrusted ? await ignoredFiles.in(folder.uri.fsPath) : [];
        const excluded = excludedBy(setting, ignoredPatterns(ignored));
        const within = new vscode.RelativePattern(folder, pattern);
        const uris = await vscode.workspace.findFiles(within, excluded, MOST_READ);
        const known = new Set(
          withoutIgnored(
            uris.map((uri) => pathIn(uri, false)),
            ignored,
          ),
        );
        return uris.filter((uri) => known.has(pathIn(uri, false))).map((uri) => pathIn(uri));
      }),
    );
    return found.flat();
  };
}

async function findAll(pattern: string): Promise<string[]> {
  const found = await vscode.workspace.findFiles(pattern, undefined, MOST_READ);
  return found.map((uri) => pathIn(uri));
}

/** Return the path of a file in its folder, whose name begins it if several are open, unless `named` forbids it. */
function pathIn(uri: vscode.Uri, named?: false): string {
  return vscode.workspace.asRelativePath(uri, named).replaceAll("\\", "/");
}

/** Return the images in a folder that a text names with an `@`, by their paths there. */
export async function imagesNamed(text: string, folder: string): Promise<readonly string[]> {
  const paths = imagePaths(text);
  const areFiles = await Promise.all(paths.map((path) => isFile(folder, path)));
  return paths.filter((_, at) => areFiles[at]);
}

async function isFile(folder: string, path: string): Promise<boolean> {
  try {
    const { type } = await vscode.workspace.fs.stat(
      vscode.Uri.joinPath(vscode.Uri.file(folder), path),
    );
    return (type & vscode.FileType.File) !== 0;
  } catch {
    return false; // the words only look like a file
  }
}

/** Write the patterns of the setting `search.exclude`, and others, as one; a pattern cannot have another one with braces. */
export function excludedBy(
  setting: Readonly<Record<string, unknown>>,
  others: readonly string[] = [],
): string | undefined {
  const own = Object.entries(setting)
    .filter(([pattern, value]) => value === true && !/[{},]/u.test(pattern))
    .map(([pattern]) => pattern);
  const patterns = [...own, ...others];
  return patterns.length === 0 ? undefined : `{${patterns.join(",")}}`;
}

/** Write a pattern for files whose path has these letters in this order; undefined if there are too few. */
export function lettersOf(text: string): string | undefined {
  const letters = Array.from(text.replaceAll(SPECIAL, ""));
  return letters.length < 2
    ? undefined
    : `**/*${letters.map((letter) => (letter === "/" ? "/**/" : anyCase(letter))).join("*")}*`;
}

/** Write a pattern for files with a text in their name, or in that of a folder, in any case. */
export function patternOf(text: string): string {
  const part = Array.from(text.replaceAll(SPECIAL, ""), anyCase).join("");
  return part === "" ? "**/*" : `{**/*${part}*,**/*${part}*/**}`;
}

function anyCase(letter: string): string {
  const [lower, upper] = [letter.toLowerCase(), letter.toUpperCase()];
  return lower === upper || lower.length !== 1 || upper.length !== 1
    ? letter
    : `[${lower}${upper}]`;
}

/** Sort paths: those whose name begins with the text, then those whose name has it, then the rest. */
export function ranked(paths: readonly string[], text: string): readonly string[] {
  const wanted = text.toLowerCase();
  const rank = (path: string): number => {
    const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
    return name.startsWith(wanted) ? 0 : name.includes(wanted) ? 1 : 2;
  };
  return [...new Set(paths)].sort(
    (one, other) =>
      rank(one) - rank(other) || one.length - other.length || one.localeCompare(other),
  );
}
