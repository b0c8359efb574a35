import * as vscode from "vscode";

import { imagePaths } from "../offers/equipment.js";
import {
  foldersAround,
  type Ignored,
  IgnoredFiles,
  ignoredPatterns,
  withoutIgnored,
} from "./ignored.js";

/** How many files are read to find the best of them. */
const MOST_READ = 1_000;
/** How many are read where most of those are ignored by git. */
const MOST_READ_AGAIN = 20_000;
/** How long git is waited for before anything is shown, in ms. */
const PATIENCE_MS = 200;
const NOTHING: Ignored = [];
const MOST_FOUND = 12;
/** What has a meaning in a pattern. */
const SPECIAL = /[*?[\]{},!\\]/gu;

const ignoredFiles = new IgnoredFiles();

/** What git ignores, by the paths of the open folders. */
type IgnoredIn = ReadonlyMap<string, Ignored>;

/**
 * Find files of the open folders by a part of their path, or else by some of its letters; show the best first, as
 * users write paths. What git ignores and searches of the editor leave out is found if nothing else is. Where git
 * takes long, show what is found without it, and then what remains.
 */
export async function findFiles(
  text: string,
  show: (paths: readonly string[]) => void,
  ignored: Pick<IgnoredFiles, "in"> = ignoredFiles,
): Promise<void> {
  const answer = ignoredBy(ignored);
  let isShown = false;
  const showBest = async (): Promise<void> => {
    const found = await findBest(text, await answer);
    isShown = true;
    show(found);
  };
  const showAtOnce = async (): Promise<void> => {
    if (!(await comesWithin(answer, PATIENCE_MS))) {
      const found = await findBest(text, new Map());
      if (!isShown) {
        show(found);
      }
    }
  };
  await Promise.all([showBest(), showAtOnce()]);
}

/** Ask git about all folders. A folder that is not trusted may make it run programs. */
async function ignoredBy(ignored: Pick<IgnoredFiles, "in">): Promise<IgnoredIn> {
  const folders = vscode.workspace.isTrusted ? (vscode.workspace.workspaceFolders ?? []) : [];
  const paths = folders.map(({ uri }) => uri.fsPath);
  return new Map(
    await Promise.all(paths.map(async (path) => [path, await ignored.in(path)] as const)),
  );
}

/** Return whether a promise settles in time; ms. */
async function comesWithin(promise: Promise<unknown>, most: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, most, false);
  });
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

async function findBest(text: string, ignored: IgnoredIn): Promise<readonly string[]> {
  const [part, letters] = [patternOf(text), lettersOf(text)];
  const searches = [part, ...(letters === undefined ? [] : [letters])];
  for (const pattern of searches) {
    const found = await findShown(pattern, ignored);
    if (found.length > 0) {
      return ranked(found, text).slice(0, MOST_FOUND);
    }
  }
  return ranked(await findAll(part), text).slice(0, MOST_FOUND);
}

/** Find files that searches of the editor and git do not leave out. */
async function findShown(pattern: string, ignoredIn: IgnoredIn): Promise<string[]> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const found = await Promise.all(
    folders.map((folder) =>
      findIn(
        new vscode.RelativePattern(folder, pattern),
        ignoredIn.get(folder.uri.fsPath) ?? NOTHING,
      ),
    ),
  );
  return found.flat().map((uri) => pathIn(uri));
}

/** Find files in a folder. Where what git ignores crowds out others, read more, without the folders that do. */
async function findIn(within: vscode.RelativePattern, ignored: Ignored): Promise<vscode.Uri[]> {
  const settings = vscode.workspace.getConfiguration("search");
  const setting = settings.get<Readonly<Record<string, unknown>>>("exclude", {});
  const patterns = ignoredPatterns(ignored);
  const search = (more: readonly string[], most: number) =>
    vscode.workspace.findFiles(within, excludedBy(setting, [...patterns, ...more]), most);
  const uris = await search([], MOST_READ);
  const known = knownOf(uris, ignored);
  if (known.length === uris.length || uris.length < MOST_READ) {
    return known;
  }
  const paths = uris.map((uri) => pathIn(uri, false));
  const others = ignoredPatterns(foldersAround(paths, ignored), Infinity);
  return knownOf(await search(others, MOST_READ_AGAIN), ignored);
}

function knownOf(uris: readonly vscode.Uri[], ignored: Ignored): vscode.Uri[] {
  const paths = uris.map((uri) => pathIn(uri, false));
  const known = new Set(withoutIgnored(paths, ignored));
  return uris.filter((_, at) => known.has(paths[at] ?? ""));
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
