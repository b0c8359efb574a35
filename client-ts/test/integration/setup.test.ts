// A real venv and a real pip, which need no network: the wheel has no dependencies.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";

import { afterEach, beforeEach, expect, test } from "vitest";

import { readBundle } from "../../src/setup/bundle.js";
import { PythonEnvironment } from "../../src/setup/environment.js";
import { runProgram } from "../../src/setup/program.js";

const PYTHON = process.env["SIDECAR_PYTHON"] ?? "python3";
const WHEEL = "tiny-1.0-py3-none-any.whl";
const MAKE_WHEEL = `
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as wheel:
    wheel.writestr("tiny.py", "")
    wheel.writestr("tiny-1.0.dist-info/METADATA", "Metadata-Version: 2.1\\nName: tiny\\nVersion: 1.0\\n")
    wheel.writestr("tiny-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    wheel.writestr("tiny-1.0.dist-info/RECORD", "")
`;
const MAKE_SOURCE = `
import io, sys, tarfile
def add(name, text):
    entry = tarfile.TarInfo("tiny-1.0/" + name)
    entry.size = len(text)
    archive.addfile(entry, io.BytesIO(text.encode()))
with tarfile.open(sys.argv[1], "w:gz") as archive:
    add("PKG-INFO", "Metadata-Version: 2.1\\nName: tiny\\nVersion: 1.0\\n")
    add("pyproject.toml", '[build-system]\\nrequires = []\\nbuild-backend = "own"\\nbackend-path = ["."]\\n')
    add("own.py", "open(" + repr(sys.argv[2]) + ", 'w').close()")
`;

let base: string;
beforeEach(async () => {
  base = await mkdtemp(path.join(tmpdir(), "sidecar setup "));
  await mkdir(path.join(base, "bundled"));
  execFileSync(PYTHON, ["-c", MAKE_WHEEL, path.join(base, "bundled", WHEEL)]);
});
afterEach(() => rm(base, { recursive: true, force: true }));

/** Set up from a list that has this hash for the wheel or another package; returns the interpreter. */
async function setUp(
  hash: string,
  what = `./${WHEEL}`,
  pip: NodeJS.ProcessEnv = {},
): Promise<string> {
  const requirements = path.join(base, "bundled", "requirements.txt");
  await writeFile(requirements, `${what} --hash=sha256:${hash}\n`);
  return new PythonEnvironment({
    storage: path.join(base, "storage"),
    bundle: () => readBundle(path.join(base, "bundled")),
    pythonSetting: () => "",
    findPython: () => Promise.resolve({ program: PYTHON, version: "3" }),
    run: runProgram,
    pipEnvironment: () => ({ ...process.env, ...pip }),
    disconnect: () => Promise.resolve(),
    log: () => undefined,
  }).ensure(() => undefined, new AbortController().signal);
}

test("a wheel with the hash that the list names is installed", async () => {
  const wheel = await readFile(path.join(base, "bundled", WHEEL));
  const python = await setUp(createHash("sha256").update(wheel).digest("hex"));
  execFileSync(python, ["-I", "-c", "import tiny"]);
  expect(existsSync(python)).toBe(true);
});

test("a wheel with another hash is refused by name", async () => {
  await expect(setUp("0".repeat(64))).rejects.toThrow(/package tiny.* differs.*not installed/u);
});

test("a source package is refused and its code does not run, even with the right hash", async () => {
  const [folder, canary] = [path.join(base, "mirror"), path.join(base, "canary")];
  const source = path.join(folder, "tiny-1.0.tar.gz");
  await mkdir(folder);
  execFileSync(PYTHON, ["-c", MAKE_SOURCE, source, canary]);
  const hash = createHash("sha256")
    .update(await readFile(source))
    .digest("hex");
  const mirror = { PIP_NO_INDEX: "1", PIP_FIND_LINKS: pathToFileURL(folder).href };
  await expect(setUp(hash, "tiny==1.0", mirror)).rejects.toThrow(
    /package tiny==1\.0 isn't available/u,
  );
  expect(existsSync(canary)).toBe(false);
});
