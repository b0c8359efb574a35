// Bundle the extension and the chat panel's page into out/, the companion extension into notifier/out/. --watch: again on every change.
import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import * as esbuild from "esbuild";

import { webviewBuild } from "../webview/build.mjs";
import { extensionBuild, notifierBuild } from "./options.mjs";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
for (const folder of ["out", "notifier/out"]) {
  await rm(folder, { recursive: true, force: true });
}
for (const options of [extensionBuild, webviewBuild, notifierBuild]) {
  if (process.argv.includes("--watch")) {
    await (await esbuild.context(options)).watch();
  } else {
    await esbuild.build(options);
  }
}
