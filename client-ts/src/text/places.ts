let home = "";

/** Set the home folder of the machine whose paths are shown; without it, paths are shown in full. */
export function setHome(folder: string): void {
  home = folder.length > 1 && folder.startsWith("/") ? folder.replace(/\/+$/u, "") : "";
}

/** Return the home folder that was set. */
export function homeFolder(): string {
  return home;
}

/** Shorten a path for a person as the editor does: `~` is the home folder, but not on Windows. */
export function shortPath(path: string): string {
  return home !== "" && (path === home || path.startsWith(`${home}/`))
    ? `~${path.slice(home.length)}`
    : path;
}

/** Return a path with slashes, and with the drive of Windows as the editor writes it: an agent may write it otherwise. */
export function slashed(path: string): string {
  return path.replaceAll("\\", "/").replace(/^[A-Z]:/u, (drive) => drive.toLowerCase());
}

/**
 * Return a path relative to a folder; undefined if it is outside. This compares text only: whoever
 * opens the path resolves links.
 */
export function pathInside(path: string, folder: string | undefined): string | undefined {
  const parts = slashed(path);
  if (parts.split("/").includes("..")) {
    return undefined;
  }
  if (!/^(?:\/|[A-Za-z]:)/u.test(parts)) {
    return path;
  }
  const root = folder === undefined ? undefined : slashed(folder).replace(/\/+$/u, "");
  return root !== undefined && parts.startsWith(`${root}/`)
    ? parts.slice(root.length + 1)
    : undefined;
}

/** Whether two paths name one file: a run may report a file with its whole path and inside its folder. */
export function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map(slashed);
  return a === b || a?.endsWith(`/${b}`) === true || b?.endsWith(`/${a}`) === true;
}

/** Numbers in names count as such: `part2` comes before `part10`. */
const COLLATOR = new Intl.Collator("en", { numeric: true });

/** Order files by their paths, as every list of the changes of a run does. */
export function byPath(one: { readonly path: string }, other: { readonly path: string }): number {
  return COLLATOR.compare(slashed(one.path), slashed(other.path));
}
