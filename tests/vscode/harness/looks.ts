import type { Page } from "playwright-core";

import type { Probe } from "./probe.ts";
import { setTheme, THEMES } from "./themes.ts";
import type { Workbench } from "./workbench.ts";

/** Whether each step leaves a picture in every theme and width: `LOOKS=all tests/vscode/run FILE`. */
export const TAKES_ALL = process.env["LOOKS"] === "all";

/** Of the side bar, in CSS pixels. */
const WIDTHS = [170, 300, 560] as const;

/** Take a picture in each theme and width of a visible side bar, and go back to how the window was. */
export async function inEachLook(
  workbench: Workbench,
  probe: Probe,
  take: (look: string) => Promise<void>,
): Promise<void> {
  const { page } = workbench;
  const before = await widthOf(page);
  for (const width of before === undefined ? [0] : WIDTHS) {
    await widenTo(width, workbench);
    for (const theme of THEMES) {
      await setTheme(probe, workbench, theme);
      await take(`${theme.name}-${width}`);
    }
  }
  await widenTo(before ?? 0, workbench);
  // Last, because after the sash was dragged the wheel moves nothing until a key is pressed.
  await setTheme(probe, workbench, undefined);
}

async function widenTo(width: number, workbench: Workbench): Promise<void> {
  const now = await widthOf(workbench.page);
  if (now !== undefined) {
    await workbench.widenSideBar(width - now);
  }
}

/** Return the width of the side bar, or undefined if it is hidden. */
async function widthOf(page: Page): Promise<number | undefined> {
  const bar = page.locator(".part.sidebar");
  return (await bar.isVisible()) ? (await bar.boundingBox())?.width : undefined;
}
