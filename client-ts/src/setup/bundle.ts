import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

import { SetupError } from "./failures.js";

/** The sidecar as it comes with the extension; `scripts/bundle.mjs` puts it there. */
export interface Bundle {
  readonly wheel: string;
  /** The versions of its dependencies that the tests passed with, in pip's constraints format. */
  readonly constraints: string;
  /** Changes whenever either file does, in 12 hexadecimal digits. */
  readonly fingerprint: string;
}

/** Find the one wheel in `directory`. Rejects with a SetupError when it is not there. */
export async function readBundle(directory: string): Promise<Bundle> {
  try {
    const names = await readdir(directory);
    const wheel = path.join(directory, names.find((name) => name.endsWith(".whl")) ?? "*.whl");
    const constraints = path.join(directory, "constraints.txt");
    const hash = createHash("sha256");
    hash.update(await readFile(wheel)).update(await readFile(constraints));
    return { wheel, constraints, fingerprint: hash.digest("hex").slice(0, 12) };
  } catch {
    throw SetupError.noBundle(directory);
  }
}
