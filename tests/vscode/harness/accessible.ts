import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";

import type { Frame, FrameLocator, Page } from "playwright-core";

import { REPOSITORY } from "./places.ts";

const REPORT_STYLES = join(REPOSITORY, "client-ts/out/webview/report.css");
const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** What is so bad that some people cannot read or use it. */
const SERIOUS = new Set(["serious", "critical"]);

interface Violation {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** Have axe check a page of the extension; returns a line for each serious finding. */
export async function seriousFindings(page: FrameLocator): Promise<readonly string[]> {
  const frame = await (await page.locator("body").elementHandle()).ownerFrame();
  if (frame === null) {
    throw new Error("the page is gone");
  }
  return findingsIn(frame);
}

/**
 * Have axe check a page that runs no scripts, such as a report, in a copy with its content, its colors and its style
 * sheet: nothing can be evaluated in the page itself.
 */
export async function seriousFindingsOfReport(
  page: Page,
  report: FrameLocator,
): Promise<readonly string[]> {
  const root = report.locator("html");
  const [content, colors, box] = [
    await root.innerHTML(),
    (await root.getAttribute("style")) ?? "",
    await root.boundingBox(),
  ];
  const copy = await page.context().newPage();
  try {
    await copy.setViewportSize({ width: Math.round(box?.width ?? 0), height: 800 });
    await copy.setContent(content.replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/u, ""));
    await copy.addStyleTag({ path: REPORT_STYLES });
    await copy.evaluate((style) => {
      document.documentElement.lang = "en";
      document.documentElement.style.cssText = style;
    }, colors);
    return await findingsIn(copy.mainFrame());
  } finally {
    await copy.close();
  }
}

async function findingsIn(frame: Frame): Promise<readonly string[]> {
  await frame.evaluate(await readFile(AXE, "utf8"));
  const violations = await frame.evaluate(async (): Promise<readonly Violation[]> => {
    const { documentElement: root } = document;
    // The side bar's page is transparent: axe would take what is behind it for white.
    const isEditor = document.body.dataset["place"] !== "sideBar";
    root.style.background = `var(--vscode-${isEditor ? "editor" : "sideBar"}-background)`;
    const { axe } = globalThis as unknown as {
      axe: { run(of: Document): Promise<{ violations: readonly Violation[] }> };
    };
    const { violations: found } = await axe.run(document);
    root.style.background = "";
    return found;
  });
  return violations
    .filter(({ impact }) => SERIOUS.has(impact ?? ""))
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary = "" }) =>
        `${id}: ${html.slice(0, 200)} ${failureSummary}`.replaceAll(/\s+/g, " "),
      ),
    );
}
