import { createHash } from "node:crypto";
import { mkdir, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import path from "node:path";

import * as vscode from "vscode";

import type { AttachRequest } from "../panel/messages.js";
import { lastOf } from "../text/cutting.js";
import * as strings from "../text/strings.js";

/** How long a copy stays that nobody attached again: a run that is resumed may need it. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1_000;
const NAME_CHARS = 100;

/** Turns what a user attaches into files that an agent on the sidecar's machine can read. */
export class Attaching {
  readonly #folder: string;

  /** What has no path there, such as a pasted image, is copied into this folder. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Return the paths of what is attached; without any, let the user choose. */
  async paths({ uris, contents }: AttachRequest): Promise<readonly string[]> {
    const kept = (contents ?? []).map(({ name, data }) =>
      this.#keep(name, Buffer.from(data, "base64")),
    );
    const named = uris?.map((uri) => vscode.Uri.parse(uri, true));
    const chosen = named ?? (contents === undefined ? await choose() : []);
    return Promise.all([...kept, ...chosen.map((uri) => this.#pathOf(uri))]);
  }

  async #pathOf(uri: vscode.Uri): Promise<string> {
    const name = path.posix.basename(uri.path);
    try {
      if (uri.scheme !== "file" && !isRemote(uri)) {
        return await this.#keep(name, await vscode.workspace.fs.readFile(uri));
      }
      const file = vscode.Uri.file(uri.path).fsPath;
      if ((await stat(file)).isFile()) {
        return file;
      }
    } catch {
      // It is not there, or it must not be read.
    }
    throw new Error(strings.attaching.noFile(name));
  }

  /** Copy a content; the same content has one copy. */
  async #keep(name: string, content: Uint8Array): Promise<string> {
    await this.#removeOld();
    const digest = createHash("sha256").update(content).digest("hex").slice(0, 16);
    const folder = path.join(this.#folder, digest);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const file = path.join(folder, safeName(name));
    await writeFile(file, content, { mode: 0o600 });
    const now = new Date();
    await utimes(folder, now, now);
    return file;
  }

  async #removeOld(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const since = Date.now() - KEPT_MS;
    for (const name of await readdir(this.#folder)) {
      const folder = path.join(this.#folder, name);
      if ((await stat(folder)).mtimeMs < since) {
        await rm(folder, { recursive: true, force: true });
      }
    }
  }
}

async function choose(): Promise<readonly vscode.Uri[]> {
  const { title, label } = strings.attaching;
  const options = { canSelectMany: true, title, openLabel: label };
  return (await vscode.window.showOpenDialog(options)) ?? [];
}

/** Whether a URI of the page is a file of the sidecar's machine, while the editor is on another one. */
function isRemote({ scheme }: vscode.Uri): boolean {
  return scheme === "vscode-remote" && vscode.env.remoteName !== undefined;
}

/** Return the last part of a name without what file systems refuse. */
function safeName(name: string): string {
  const last = name.split(/[\\/]/u).at(-1) ?? "";
  const safe = lastOf(last.replaceAll(/[\p{Cc}<>:"|?*]/gu, "_"), NAME_CHARS);
  return /^\.*$/u.test(safe) ? "file" : safe;
}
