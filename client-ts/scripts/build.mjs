// Bundle the extension and the chat panel's page into out/. --watch: again on every change.
import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import * as esbuild from "esbuild";

import { webviewBuild } from "../webview/build.mjs";

/** @type {esbuild.BuildOptions} */
const extensionBuild = {
  entryPoints: ["src/extension.ts"],
  outfile: "out/extension.cjs",
  bundle: true,
  minify: true,
  keepNames: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  external: ["vscode"],
  logLevel: "warning",
};

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
await rm("out", { recursive: true, force: true });
for (const options of [extensionBuild, webviewBuild]) {
  if (process.argv.includes("--watch")) {
    await (await esbuild.context(options)).watch();
  } else {
    await esbuild.build(options);
  }
}
