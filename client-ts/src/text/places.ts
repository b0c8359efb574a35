/**
 * Return a path relative to a folder; undefined if it is outside. This compares text only: whoever
 * opens the path resolves links.
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
