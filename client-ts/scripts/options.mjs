// How the extension is bundled; relative to the folder of package.json.

/**
 * Have all modules share one import of the editor's API: esbuild copies its names for each import of
 * a module that it does not bundle, which with one in every file made half of the time to load.
 *
 * @type {esbuild.Plugin}
 */
const oneEditorApi = {
  name: "one-editor-api",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^vscode$/, namespace: "file" }, () => ({
      path: "vscode",
      namespace: "editor",
    }));
    onResolve({ filter: /^vscode$/, namespace: "editor" }, () => ({
      path: "vscode",
      external: true,
    }));
    onLoad({ filter: /./, namespace: "editor" }, () => ({ contents: 'export * from "vscode";' }));
  },
};

/** @type {esbuild.BuildOptions} */
const hostBuild = {
  bundle: true,
  minify: true,
  keepNames: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  plugins: [oneEditorApi],
  logLevel: "warning",
};

/** @type {esbuild.BuildOptions} */
export const extensionBuild = {
  ...hostBuild,
  entryPoints: ["src/extension.ts"],
  outfile: "out/extension.cjs",
};

/**
 * The companion extension, which runs on the user's computer; see notifier/README.md.
 *
 * @type {esbuild.BuildOptions}
 */
export const notifierBuild = {
  ...hostBuild,
  entryPoints: ["src/notifier/extension.ts"],
  outfile: "notifier/out/extension.cjs",
};
