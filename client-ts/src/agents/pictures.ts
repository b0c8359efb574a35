import { stat } from "node:fs/promises";

import * as vscode from "vscode";

import { isInside } from "../util/showFile.js";

/** A larger file, in bytes, is not shown in a message. */
const MOST_BYTES = 20 * 1024 * 1024;
/** The formats that are shown. A small SVG can be made to take minutes to draw, in which the page does nothing else. */
const SHOWN = /\.(?:png|jpe?g|gif|webp|avif|bmp|ico)$/iu;

/**
 * Return the version of a file that a message names if it may be shown as an image: a model chose the path. No link may
 * lead out of the workspace, and reading a device or a pipe might never end. A file that is written again has another
 * version.
 */
export async function pictureVersion(path: string): Promise<string | undefined> {
  const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
  if (!SHOWN.test(path) || !(await isInside(path, folders))) {
    return undefined;
  }
  try {
    const found = await stat(path);
    const isShown = found.isFile() && found.size <= MOST_BYTES;
    return isShown ? `${found.mtimeMs}-${found.size}` : undefined;
  } catch {
    return undefined; // It was removed meanwhile.
  }
}
