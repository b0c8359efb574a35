// Put what the extension sets up on first run into bundled/: the sidecar as a wheel, and the
// versions of its dependencies that the tests passed with.
// SIDECAR_PYTHON names the Python that has the packages of requirements.lock; default: .venv.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, mkdir, rm } from "node:fs/promises";
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
// A fixed date, so that the same sources give the same bytes, and no set-up is done again for them.
const env = { SOURCE_DATE_EPOCH: "1700000000", ...process.env };
const args = ["-m", "build", "--wheel", "--no-isolation", "--outdir", bundled, repository];
execFileSync(python(), args, { env, stdio: ["ignore", "ignore", "inherit"] });
await copyFile(path.join(repository, "requirements.lock"), path.join(bundled, "constraints.txt"));
await copyFile(path.join(repository, "LICENSE"), path.join(client, "LICENSE"));
