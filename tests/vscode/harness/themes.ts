import type { FrameLocator } from "playwright-core";

import type { Probe } from "./probe.ts";
import { until } from "./waiting.ts";
import type { Workbench } from "./workbench.ts";

/** A theme of the editor. */
export interface Theme {
  readonly name: string;
  readonly setting: string;
  /** The class that its pages have. */
  readonly mark: string;
  /** The class that the window has. */
  readonly base: string;
}

export const THEMES: readonly Theme[] = [
  { name: "dark", setting: "Dark Modern", mark: "vscode-dark", base: "vs-dark" },
  { name: "light", setting: "Light Modern", mark: "vscode-light", base: "vs" },
  {
    name: "high-contrast",
    setting: "Default High Contrast",
    mark: "vscode-high-contrast",
    base: "hc-black",
  },
  {
    name: "high-contrast-light",
    setting: "Default High Contrast Light",
    mark: "vscode-high-contrast-light",
    base: "hc-light",
  },
];

/** The defaults of earlier versions, whose secondary text is fainter. */
export const EARLIER_THEMES: readonly Theme[] = [
  { name: "light-plus", setting: "Default Light+", mark: "vscode-light", base: "vs" },
  { name: "dark-plus", setting: "Default Dark+", mark: "vscode-dark", base: "vs-dark" },
];

/** Use a theme, or the default one, and wait until the window has it. */
export async function setTheme(
  probe: Probe,
  workbench: Workbench,
  theme: Theme | undefined,
): Promise<void> {
  await probe.run(
    `await vscode.workspace.getConfiguration("workbench").update("colorTheme", given ?? undefined, true);`,
    theme?.setting,
  );
  if (theme !== undefined) {
    await until(
      theme.setting,
      () => workbench.page.locator(".monaco-workbench").getAttribute("class"),
      (classes) => classes?.split(" ").includes(theme.base) === true,
    );
  }
}

/** Use a theme, and wait until these pages have it, by default the one in the side bar. */
export async function useTheme(
  probe: Probe,
  workbench: Workbench,
  theme: Theme,
  pages: readonly FrameLocator[] = [workbench.sideBarPage],
): Promise<void> {
  const { setting, mark } = theme;
  await setTheme(probe, workbench, theme);
  for (const page of pages) {
    await until(
      setting,
      () => page.locator("body").getAttribute("class"),
      (classes) => classes?.split(" ").includes(mark) === true,
    );
  }
}
