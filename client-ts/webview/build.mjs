import { build } from "esbuild";

/** How the pages are bundled; relative to the folder of package.json. */
export const webviewBuild = {
  entryPoints: ["webview/main.ts", "webview/style.css", "webview/report.css"],
  outdir: "out/webview",
  bundle: true,
  minify: true,
  format: "iife",
  target: "chrome134", // Electron 35, in VS Code 1.101.
  loader: { ".ttf": "file" },
  assetNames: "[name]",
  logLevel: "warning",
};

if (import.meta.filename === process.argv[1]) {
  await build(webviewBuild);
}
