/**
 * Return a path as seen from a folder, undefined if it lies elsewhere. Only by its letters: what it
 * leads to is looked at by whoever opens it.
 */
export function pathInside(path: string, folder: string | undefined): string | undefined {
  const parts = path.replaceAll("\\", "/");
  if (parts.split("/").includes("..")) {
    return undefined;
  }
  if (!/^(?:\/|[A-Za-z]:)/u.test(parts)) {
    return path;
  }
  const root = folder?.replaceAll("\\", "/").replace(/\/+$/u, "");
  return root !== undefined && parts.startsWith(`${root}/`)
    ? parts.slice(root.length + 1)
    : undefined;
}
