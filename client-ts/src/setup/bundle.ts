import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

import { SetupError } from "./failures.js";

/** The sidecar in the extension, which `scripts/bundle.mjs` writes. */
export interface Bundle {
  /** The folder that contains the wheel and the list. */
  readonly folder: string;
  /** What to install, the wheel included, with the hashes of all wheels, in pip's format. */
  readonly requirements: string;
  /** Changes whenever either file does, in 12 hexadecimal digits. */
  readonly fingerprint: string;
}

/** Find the one wheel in `directory`. Rejects with a SetupError when it is not there. */
export async function readBundle(directory: string): Promise<Bundle> {
  try {
    const names = await readdir(directory);
    const wheel = path.join(directory, names.find((name) => name.endsWith(".whl")) ?? "*.whl");
    const requirements = path.join(directory, "requirements.txt");
    const hash = createHash("sha256");
    hash.update(await readFile(wheel)).update(await readFile(requirements));
    return { folder: directory, requirements, fingerprint: hash.digest("hex").slice(0, 12) };
  } catch {
    throw SetupError.noBundle(directory);
  }
}
