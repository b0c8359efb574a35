import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { appendFile, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { HOST, NODE_BIN, REPOSITORY } from "./places.ts";
import { SLOWNESS } from "./waiting.ts";

type Settings = Record<string, unknown>;

const ENTRY = join(HOST, "code-server/out/node/entry.js");
const INSTALL_MS = 60_000 * SLOWNESS;

/** Quiet what is not under test. */
const QUIET: Settings = {
  "workbench.startupEditor": "none",
  "workbench.enableExperiments": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.hover.delay": 3_600_000, // the tooltip of the row under a resting mouse would cover the next
  "telemetry.telemetryLevel": "off",
  "extensions.autoUpdate": false,
  "extensions.autoCheckUpdates": false,
  "extensions.ignoreRecommendations": true,
  "remote.autoForwardPorts": false, // other programs' ports would raise toasts
  "chat.disableAIFeatures": true,
  // In a diff that fits its editor, the slider is a block as high as the text.
  "workbench.colorCustomizations": { "scrollbarSlider.background": "#00000000" },
};

/** What belongs to the machine: a browser's window reads such settings from there alone. */
const MACHINE: Settings = {
  "subagentSidecar.host.onLastWindowClose": "keep", // else the first launch asks
  "subagentSidecar.history.autoDiscover": true, // else the first start shows a message about it
};

/** No Host outlives its windows and runs by more than a reload. */
const SIDECAR = "[host]\nidleSeconds = 2\n";

/** What is read of an extension's `package.json`. */
export interface Manifest {
  readonly engines: { readonly vscode: string };
  readonly enabledApiProposals?: readonly string[];
}

const ENVIRONMENT = join(REPOSITORY, ".cache/vscode-environment");

/** A user who never was here before: own home, own settings, own extensions, an empty workspace. */
export class Profile {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async create(): Promise<Profile> {
    const profile = new Profile(await mkdtemp(join(tmpdir(), "vscode-profile-")));
    await mkdir(profile.workspace);
    await writeFile(join(profile.folder, "config.yaml"), "auth: none\n");
    await profile.#write("data/User/settings.json", QUIET);
    await profile.configure({});
    await mkdir(join(profile.folder, "config/subagent-sidecar"), { recursive: true });
    await writeFile(join(profile.folder, "config/subagent-sidecar/config.toml"), SIDECAR);
    return profile;
  }

  get workspace(): string {
    return join(this.folder, "workspace");
  }

  /** The environment of a host; nothing in it may lead out of this profile. */
  get environment(): NodeJS.ProcessEnv {
    return {
      ...process.env,
      HOME: this.folder,
      XDG_CONFIG_HOME: join(this.folder, "config"),
      XDG_DATA_HOME: join(this.folder, "share"),
      XDG_CACHE_HOME: join(this.folder, "cache"),
      PIP_CACHE_DIR: join(REPOSITORY, ".cache/pip"), // every profile downloads the same packages
      PATH: `${NODE_BIN}:${process.env["PATH"] ?? ""}`,
    };
  }

  /** The arguments with which this profile's code-server starts. */
  get command(): readonly [string, ...string[]] {
    return [
      join(NODE_BIN, "node"),
      ENTRY,
      ...["--config", join(this.folder, "config.yaml")],
      ...["--user-data-dir", join(this.folder, "data")],
      ...["--extensions-dir", join(this.folder, "extensions")],
    ];
  }

  /** Set settings that belong to the machine. */
  configure(settings: Settings): Promise<void> {
    return this.#write("data/Machine/settings.json", { ...MACHINE, ...settings });
  }

  /** Set settings of the user, as well as those that quiet what is not under test. */
  prefer(settings: Settings): Promise<void> {
    return this.#write("data/User/settings.json", { ...QUIET, ...settings });
  }

  /** Add settings of the sidecar, as TOML. */
  async addSettings(toml: string): Promise<void> {
    await appendFile(join(this.folder, "config/subagent-sidecar/config.toml"), toml);
  }

  /** Write a file into the workspace, and the folders above it. */
  async addFile(name: string, text: string): Promise<void> {
    const path = join(this.workspace, name);
    await mkdir(join(path, ".."), { recursive: true });
    await writeFile(path, text);
  }

  /** Put a program on the path, which the editor takes from a login shell. */
  async addProgram(name: string, script: string): Promise<void> {
    const folder = join(this.folder, "programs");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, name), script, { mode: 0o755 });
    await writeFile(join(this.folder, ".profile"), `PATH=${folder}:$PATH\n`);
  }

  /** Install a packaged extension as a user would from a file. */
  async install(vsix: string): Promise<void> {
    const [program, ...options] = this.command;
    await promisify(execFile)(program, [...options, "--install-extension", vsix], {
      env: this.environment,
      timeout: INSTALL_MS,
    });
  }

  /** Take the Python environment that an earlier profile of this run has set up, if one has. */
  async borrowEnvironment(): Promise<void> {
    if (existsSync(ENVIRONMENT)) {
      await copyFolder(ENVIRONMENT, this.#storage);
    }
  }

  /** Keep the environment that was set up here for the later profiles of this run. */
  async lendEnvironment(): Promise<void> {
    if (!existsSync(ENVIRONMENT)) {
      await copyFolder(this.#storage, ENVIRONMENT);
    }
  }

  /** The folders of the Python environments. */
  async environments(): Promise<string[]> {
    return (await readdir(this.#storage)).filter((name) => /^venv-[^.]+$/.test(name));
  }

  get #storage(): string {
    return join(this.folder, "data/User/globalStorage/subagent-sidecar.subagent-sidecar");
  }

  /** The manifest of the one installed extension, as the editor reads it. */
  async manifest(): Promise<Manifest> {
    const extensions = join(this.folder, "extensions");
    const [folder] = (await readdir(extensions)).filter((name) =>
      name.includes("subagent-sidecar"),
    );
    const text = await readFile(join(extensions, folder ?? "", "package.json"), "utf8");
    return JSON.parse(text) as Manifest;
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  async #write(name: string, value: unknown): Promise<void> {
    const path = join(this.folder, name);
    await mkdir(join(path, ".."), { recursive: true });
    await writeFile(path, JSON.stringify(value, null, 2));
  }
}

/** Copy with the times, so that compiled Python files still fit their sources. */
function copyFolder(from: string, to: string): Promise<void> {
  return cp(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
}
