import type { Page } from "playwright-core";

import type { Profile } from "./profile.ts";
import { THEMES } from "./themes.ts";
import { until } from "./waiting.ts";
import type { Workbench } from "./workbench.ts";

/** Whether each step leaves a picture in every theme and width: `LOOKS=all tests/vscode/run FILE`. */
export const TAKES_ALL = process.env["LOOKS"] === "all";

/** Of the side bar, in CSS pixels. */
const WIDTHS = [170, 300, 560] as const;

/** Take a picture in each theme and width, and go back to how the window was. */
export async function inEachLook(
  workbench: Workbench,
  profile: Profile,
  take: (look: string) => Promise<void>,
): Promise<void> {
  const { page } = workbench;
  const before = await widthOf(page);
  for (const width of WIDTHS) {
    await workbench.widenSideBar(width - (await widthOf(page)));
    for (const { name, setting, base } of THEMES) {
      await profile.prefer({ "workbench.colorTheme": setting });
      await until(
        setting,
        () => page.locator(".monaco-workbench").getAttribute("class"),
        (classes) => classes?.split(" ").includes(base) === true,
      );
      await take(`${name}-${width}`);
    }
  }
  await profile.prefer({});
  await workbench.widenSideBar(before - (await widthOf(page)));
}

async function widthOf(page: Page): Promise<number> {
  return (await page.locator(".part.sidebar").boundingBox())?.width ?? 0;
}
