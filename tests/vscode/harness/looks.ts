import type { Page } from "playwright-core";

import type { Probe } from "./probe.ts";
import { setTheme, THEMES } from "./themes.ts";
import type { Workbench } from "./workbench.ts";

/** Whether each step leaves a picture in every theme and width: `LOOKS=all tests/vscode/run FILE`. */
export const TAKES_ALL = process.env["LOOKS"] === "all";

/** Of the side bar, in CSS pixels. */
const WIDTHS = [170, 300, 560] as const;

/** Take a picture in each theme and width, and go back to how the window was. */
export async function inEachLook(
  workbench: Workbench,
  probe: Probe,
  take: (look: string) => Promise<void>,
): Promise<void> {
  const { page } = workbench;
  const before = await widthOf(page);
  for (const width of WIDTHS) {
    await workbench.widenSideBar(width - (await widthOf(page)));
    for (const theme of THEMES) {
      await setTheme(probe, workbench, theme);
      await take(`${theme.name}-${width}`);
    }
  }
  await workbench.widenSideBar(before - (await widthOf(page)));
  // Last, because after the sash was dragged the wheel moves nothing until a key is pressed.
  await setTheme(probe, workbench, undefined);
}

async function widthOf(page: Page): Promise<number> {
  return (await page.locator(".part.sidebar").boundingBox())?.width ?? 0;
}
