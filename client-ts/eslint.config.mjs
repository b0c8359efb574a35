import { defineConfig } from "eslint/config";
import tseslint from "typescript-eslint";

export default defineConfig(
  { ignores: ["out/", "dist/"] },
  {
    files: ["**/*.ts"],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      // Numbers read well in messages; everything else must be turned into text on purpose.
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "no-console": "error",
    },
  },
  {
    files: ["src/**"],
    ignores: ["src/questions/notify.ts", "src/questions/quickInput.ts"],
    rules: {
      "no-restricted-properties": [
        "error",
        ...["showQuickPick", "showInputBox"].map((property) => ({
          property,
          message: "Use questions/quickInput.ts: it knows whether one is open.",
        })),
        ...["showErrorMessage", "showInformationMessage", "showWarningMessage"].map((property) => ({
          property,
          message: "Use questions/notify.ts: it keeps a model's words from becoming links.",
        })),
      ],
    },
  },
);
