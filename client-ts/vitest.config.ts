import { fileURLToPath } from "node:url";

import { defineConfig } from "vitest/config";

/** The editor's API is there only inside the editor; tests have a small one of their own. */
const resolve = { alias: { vscode: fileURLToPath(new URL("test/vscode.ts", import.meta.url)) } };

/** Files share a process and its modules: a process for each would take more than half of the time. */
const isolate = false;

/** A spy of one test must not record the calls of the next: tests run in random order. */
const restoreMocks = true;

export default defineConfig({
  test: {
    sequence: { shuffle: true },
    projects: [
      {
        resolve,
        test: {
          name: "unit",
          isolate,
          restoreMocks,
          // The page's model and texts are pure; a document for each file would take most of their time.
          include: ["test/unit/**/*.test.ts", "test/webview/{model,text}/**/*.test.ts"],
          setupFiles: ["test/unit/fresh.ts"],
          testTimeout: 60_000,
        },
      },
      {
        resolve,
        test: {
          name: "webview",
          isolate,
          restoreMocks,
          include: ["test/webview/{page,view}/**/*.test.ts"],
          environment: "jsdom",
          css: true, // some tests apply the styles
          setupFiles: ["test/webview/environment.ts"],
          testTimeout: 60_000,
        },
      },
      {
        resolve,
        test: {
          name: "integration",
          retry: 1,
          include: ["test/integration/**/*.test.ts"],
          testTimeout: 45_000,
          hookTimeout: 45_000,
        },
      },
    ],
  },
});
