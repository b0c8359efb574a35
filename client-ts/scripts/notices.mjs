// Write THIRD_PARTY_NOTICES.txt: the licenses of the packages whose code or fonts are in the bundles.
// --check: write nothing, fail when the file is stale.
import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

import * as esbuild from "esbuild";

import { webviewBuild } from "../webview/build.mjs";
import { extensionBuild } from "./options.mjs";

const FILE = "THIRD_PARTY_NOTICES.txt";
const HEAD =
  "This extension contains the following packages, each under the license that follows it.\n";
const RULE = "-".repeat(80);

/** The folders below node_modules of which a bundle holds files. */
async function bundledPackages() {
  const builds = [extensionBuild, webviewBuild].map((options) =>
    esbuild.build({ ...options, write: false, metafile: true }),
  );
  const inputs = (await Promise.all(builds)).flatMap(({ metafile }) =>
    Object.keys(metafile.inputs),
  );
  const folders = inputs.flatMap(
    (input) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/u.exec(input) ?? [],
  );
  return [...new Set(folders)].sort();
}

/** The name, version and license of a package, and all license files that it has. */
async function notice(folder) {
  const names = (await readdir(folder)).filter((name) => /licen[cs]e|notice/iu.test(name)).sort();
  if (names.length === 0) {
    throw new Error(`${folder} has no license file; add its license to ${FILE} by another way`);
  }
  const about = JSON.parse(await readFile(path.join(folder, "package.json"), "utf8"));
  const texts = await Promise.all(names.map((name) => readFile(path.join(folder, name), "utf8")));
  const lines = texts.map((text) => text.replaceAll("\r\n", "\n").trim());
  return [RULE, `${about.name} ${about.version} (${about.license})`, ...lines].join("\n\n");
}

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const notices = await Promise.all((await bundledPackages()).map(notice));
const text = `${[HEAD, ...notices].join("\n")}\n`;
if (!process.argv.includes("--check")) {
  await writeFile(FILE, text);
} else if ((await readFile(FILE, "utf8").catch(() => "")) !== text) {
  console.error(`${FILE} is stale; run "npm run notices"`);
  process.exitCode = 1;
}
