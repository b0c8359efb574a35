import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);
/** What git is given to answer, in ms and bytes. */
const LIMITS = { timeout: 3_000, maxBuffer: 16 * 1024 * 1024, windowsHide: true };
/** How long an answer is used, in ms: one is asked for with every key. */
const KEPT_MS = 10_000;
/** The most folders that a search leaves out by itself; the rest is left out of what it finds. */
const MOST_PATTERNS = 300;
const SPECIAL = /[*?[\]{},!\\]/u;

/** Files and folders, by their paths in a folder; those of folders end with a slash. */
export type Ignored = readonly string[];

/** Return what git ignores in a folder; undefined where there is no git, or it does not answer in time. */
export async function ignoredIn(folder: string): Promise<Ignored | undefined> {
  const question = ["ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"];
  // A repository may name a program to be asked for changes, which nobody chose to run here.
  const options = ["-C", folder, "-c", "core.fsmonitor=false"];
  try {
    const { stdout } = await run("git", [...options, ...question], LIMITS);
    const isInside = (path: string) => path !== "" && path !== "./"; // the folder itself may be ignored
    return stdout.split("\0").filter(isInside);
  } catch {
    return undefined;
  }
}

/** Return the patterns of the folders that git ignores, `most` of them. */
export function ignoredPatterns(ignored: Ignored, most = MOST_PATTERNS): readonly string[] {
  return ignored
    .filter((path) => path.endsWith("/") && !SPECIAL.test(path))
    .slice(0, most)
    .map((path) => path.slice(0, -1));
}

/** Return the paths that git does not ignore. */
export function withoutIgnored(paths: readonly string[], ignored: Ignored): readonly string[] {
  const known = new Set(ignored);
  return paths.filter(
    (path) => !known.has(path) && !foldersOf(path).some((each) => known.has(each)),
  );
}

/** Return the folders that git ignores and that have some of these paths. */
export function foldersAround(paths: readonly string[], ignored: Ignored): Ignored {
  const known = new Set(ignored);
  return [...new Set(paths.flatMap(foldersOf))].filter((folder) => known.has(folder));
}

/** Return the folders that a path is in, each with a slash at its end. */
function foldersOf(path: string): string[] {
  return [...path.matchAll(/\//gu)].map(({ index }) => path.slice(0, index + 1));
}

async function answerOr(
  known: Promise<Ignored> | undefined,
  asked: Promise<Ignored | undefined>,
): Promise<Ignored> {
  return (await asked) ?? (await known) ?? [];
}

/** Remembers for some seconds what git ignores. */
export class IgnoredFiles {
  readonly #known = new Map<string, { readonly at: number; readonly ignored: Promise<Ignored> }>();

  /** Return what git ignores in a folder; while git is asked again, which may take long, what it answered before. */
  in(folder: string, now = Date.now()): Promise<Ignored> {
    const known = this.#known.get(folder);
    if (known !== undefined && now - known.at < KEPT_MS) {
      return known.ignored;
    }
    const asked = answerOr(known?.ignored, ignoredIn(folder));
    const entry = { at: now, ignored: known?.ignored ?? asked };
    this.#known.set(folder, entry);
    void asked.then(() => {
      entry.ignored = asked;
    });
    return entry.ignored;
  }
}
