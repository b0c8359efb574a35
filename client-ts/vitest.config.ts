import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      { test: { name: "unit", include: ["test/unit/**/*.test.ts"], testTimeout: 15_000 } },
      {
        test: {
          name: "webview",
          include: ["test/webview/**/*.test.ts"],
          environment: "jsdom",
          testTimeout: 15_000,
        },
      },
      {
        test: {
          name: "integration",
          include: ["test/integration/**/*.test.ts"],
          testTimeout: 45_000,
          hookTimeout: 45_000,
        },
      },
    ],
  },
});
