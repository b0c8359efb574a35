import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { expect, it } from "vitest";

const repository = resolve(import.meta.dirname, "..", "..", "..");
const python = process.env["SIDECAR_PYTHON"] ?? join(repository, ".venv", "bin", "python");

it("runs the example of an embedding client", async () => {
  const folder = mkdtempSync(join(tmpdir(), "example-"));
  try {
    const program = join(folder, "embed.mjs");
    await build({
      entryPoints: [join(repository, "examples", "embed.ts")],
      outfile: program,
      bundle: true,
      platform: "node",
      format: "esm",
      banner: {
        js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
      },
      nodePaths: [join(repository, "client-ts", "node_modules")],
    });

    const { stdout } = await promisify(execFile)(
      process.execPath,
      [program, python, "examples/agents"],
      {
        cwd: repository,
      },
    );

    expect(stdout).toContain("completed Hello,");
    expect(stdout).toContain("seq: 1");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
