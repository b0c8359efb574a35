// Put into bundled/ what the extension sets up on first run: the sidecar as a wheel, and the list of
// everything to install, itself included, with the hash of each wheel. Also the companion extension, packaged.
// SIDECAR_PYTHON names the Python that has the packages of requirements.lock; default: .venv.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createHash } from "node:crypto";
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

const client = fileURLToPath(new URL("..", import.meta.url));
const repository = path.dirname(path.resolve(client));
const bundled = path.join(client, "bundled");

function python() {
  const own = path.join(
    repository,
    ".venv",
    process.platform === "win32" ? "Scripts" : "bin",
    "python",
  );
  return process.env.SIDECAR_PYTHON ?? (existsSync(own) ? own : "python3");
}

await rm(bundled, { recursive: true, force: true });
await mkdir(bundled);
// A fixed date, so that the same sources give the same bytes, so that setup does not run again for them.
const env = { SOURCE_DATE_EPOCH: "1700000000", ...process.env };
const args = ["-m", "build", "--wheel", "--no-isolation", "--outdir", bundled, repository];
execFileSync(python(), args, { env, stdio: ["ignore", "ignore", "inherit"] });
const [wheel] = await readdir(bundled);
const hash = createHash("sha256").update(await readFile(path.join(bundled, wheel)));
const lock = await readFile(path.join(repository, "requirements.lock"), "utf8");
const own = `./${wheel} --hash=sha256:${hash.digest("hex")}\n`;
await writeFile(path.join(bundled, "requirements.txt"), lock + own);
const notifier = path.join(client, "notifier");
for (const folder of [client, notifier]) {
  await copyFile(path.join(repository, "LICENSE"), path.join(folder, "LICENSE"));
}
const vsce = path.join(client, "node_modules/@vscode/vsce/vsce");
const packaging = ["package", "--no-dependencies", "--allow-missing-repository", "--out"];
execFileSync(process.execPath, [vsce, ...packaging, path.join(bundled, "notifier.vsix")], {
  cwd: notifier,
  stdio: ["ignore", "ignore", "inherit"],
});
