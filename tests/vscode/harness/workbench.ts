import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import {
  type Browser,
  chromium,
  type Frame,
  type FrameLocator,
  type Locator,
  type Page,
} from "playwright-core";

import { TAKES_ALL } from "./looks.ts";
import { PICTURES } from "./places.ts";
import { PATIENCE_MS, SLOWNESS, until } from "./waiting.ts";

/** The size of a window at first, in CSS pixels. */
export const WINDOW = { width: 1280, height: 860 };
const FIRST_LOAD_MS = 60_000 * SLOWNESS;
const SET_UP_MS = 90_000 * SLOWNESS;
const MOST_TABS = 40;
const MENU_MS = 5_000;
const MENU_TRIES = 4;
const PALETTE_MS = 2_000;
const PALETTE_TRIES = Math.ceil(PATIENCE_MS / PALETTE_MS);
// The editor draws all pages over its window, outside of their parts, and an editor names its page. The
// purpose in a page's address tells less: the side bar's loses it when it is hidden and shown.
const OWN_PAGE = "//iframe[contains(@src, 'extensionId=subagent-sidecar.subagent-sidecar&')]";
const IN_EDITOR = "../@id = //*[starts-with(@id, 'webview-editor-element-')]/@aria-flowto";

/** Start a browser that can reach nothing but this machine, so that no step leans on the network. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: [
      ...[
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--disable-dev-shm-usage",
        "--no-first-run",
      ],
      ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
      "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    ],
  });
}

/** A window of the editor, addressed as its user sees it. */
export class Workbench {
  readonly page: Page;
  readonly #pictures: string;
  #taken = 0;

  private constructor(page: Page, pictures: string) {
    this.page = page;
    this.#pictures = pictures;
  }

  /** Open a window; `name` begins the names of its pictures. */
  static async open(browser: Browser, url: string, name: string): Promise<Workbench> {
    const context = await browser.newContext({
      viewport: WINDOW,
      reducedMotion: "reduce", // spinners cost a processor where there is no graphics card
      permissions: ["clipboard-read", "clipboard-write"],
    });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    await page.goto(url, { timeout: FIRST_LOAD_MS });
    const workbench = new Workbench(page, name);
    await workbench.loaded();
    return workbench;
  }

  /** Wait until the window can be used and knows of the extension. */
  async loaded(): Promise<void> {
    await this.page.locator(".statusbar").waitFor({ timeout: FIRST_LOAD_MS });
    await this.#container("Subagents").waitFor();
  }

  /** Close the window, as its user would. */
  async leave(): Promise<void> {
    await this.page.close({ runBeforeUnload: false });
  }

  /** Keep a picture of the window, unless its user left. */
  async picture(name: string): Promise<void> {
    if (this.page.isClosed()) {
      return;
    }
    this.#taken += 1;
    const number = String(this.#taken).padStart(2, "0");
    await mkdir(PICTURES, { recursive: true });
    await this.page.screenshot({
      path: join(PICTURES, `${this.#pictures}-${number}-${name}.png`),
    });
  }

  /** Reload the window. */
  async reload(): Promise<void> {
    const reloaded = this.page.waitForEvent("domcontentloaded");
    await this.run("Developer: Reload Window");
    await reloaded;
    await this.loaded();
  }

  /** Open the extension's side bar and wait until its sidecar answers; the first time is set-up. */
  async ready(): Promise<void> {
    await this.openSideBar("Subagents");
    const answering = this.page.locator(
      '.statusbar-item [aria-label*="Trust the workspace to launch"]',
    );
    await this.page
      .locator('.statusbar-item [aria-label*=" running"]')
      .or(answering)
      .waitFor({ timeout: SET_UP_MS });
    await this.sideBarPage.locator(".page").waitFor(); // a panel that loads has the focus and drops keys
  }

  /** Open the view container with this name; one that is open already, as after a reload, stays so. */
  async openSideBar(name: string): Promise<void> {
    await this.run(`View: Show ${name}`); // a click in the activity bar would close it again
    await this.page.locator(".sidebar .composite.title", { hasText: name }).waitFor();
  }

  /** Run a command by its title, as in `Developer: Reload Window`. */
  async run(title: string): Promise<void> {
    await this.#openPalette();
    await this.quickInput.fill(`>${title}`);
    await this.#foremost(title).waitFor();
    await this.page.keyboard.press("Enter");
  }

  /** Open the palette. Like a user, press the key again when nothing came of it: a page that loads drops keys. */
  async #openPalette(): Promise<void> {
    for (let left = PALETTE_TRIES; ; left -= 1) {
      await this.page.keyboard.press("F1");
      try {
        // The box of something else may still be open.
        await this.#asked((typed) => typed.startsWith(">"), PALETTE_MS);
        return;
      } catch (error) {
        if (left === 1) {
          throw error;
        }
      }
    }
  }

  /** Choose from the menu that a click with the other button opens. */
  async chooseFromMenu(target: Locator, title: string): Promise<void> {
    const item = await this.openMenu(target, title);
    // By key: a new menu does not take every release of a button, which could be the opening click's.
    await this.page.keyboard.press("Enter");
    await item.waitFor({ state: "hidden" });
  }

  /**
   * Open the menu of a row and go to its item with this title, which is returned. Like a user, click
   * again when nothing came of it: a tree that draws itself again under the mouse, or a closing pick,
   * takes the menu along.
   */
  async openMenu(target: Locator, title: string): Promise<Locator> {
    const item = this.page.getByRole("menuitem", { name: title });
    for (let left = MENU_TRIES; ; left -= 1) {
      await target.click({ button: "right" });
      try {
        await item.hover({ timeout: MENU_MS });
        await this.page
          .locator(".action-item.focused", { has: item })
          .waitFor({ timeout: MENU_MS });
        return item;
      } catch (error) {
        if (left === 1) {
          throw error;
        }
        await this.page.keyboard.press("Escape");
      }
    }
  }

  /** The box in which quick picks and input boxes take text. */
  get quickInput(): Locator {
    return this.page.locator(".quick-input-widget:visible .quick-input-box input");
  }

  /** The rows of the open quick pick with this text. */
  row(text: string): Locator {
    return this.page.locator(".quick-input-list .monaco-list-row", {
      hasText: text,
    });
  }

  /** The row of the open quick pick that Enter chooses, once it is one with this text. */
  #foremost(text: string): Locator {
    return this.page.locator(".quick-input-list .monaco-list-row.focused", { hasText: text });
  }

  /** Type into the input box that a command opens, which the palette's is not. */
  async type(text: string): Promise<void> {
    await this.#asked((typed) => !typed.startsWith(">"));
    await this.quickInput.fill(text);
  }

  /** Type into the input box that a command opens and confirm. */
  async answer(text: string): Promise<void> {
    await this.type(text);
    await this.#confirm(text);
  }

  /** Choose the row with this text in the open quick pick. */
  async pick(text: string): Promise<void> {
    await this.row(text).first().waitFor();
    await this.quickInput.fill(text);
    await this.#foremost(text).waitFor();
    await this.#confirm(text);
  }

  /** Wait for a box in which is typed what is `meant`. */
  async #asked(meant: (typed: string) => boolean, limitMs = PATIENCE_MS): Promise<void> {
    await until(
      "asked for something",
      () => this.#typed(),
      (typed) => typed !== undefined && meant(typed),
      limitMs,
    );
  }

  /** Confirm what was typed, and wait until its box is gone, which may first have the extension judge. */
  async #confirm(text: string): Promise<void> {
    await this.page.keyboard.press("Enter");
    await until(
      "taken",
      () => this.#typed(),
      (typed) => typed !== text,
    );
  }

  /** What is typed in the open box; undefined while there is none. */
  #typed(): Promise<string | undefined> {
    return this.quickInput.evaluateAll(([box]) => (box as HTMLInputElement | undefined)?.value);
  }

  /** Draw the border of the side bar to the right, by CSS pixels. */
  async widenSideBar(by: number): Promise<void> {
    const bar = await this.page.locator(".part.sidebar").boundingBox();
    const [x, y] = [(bar?.x ?? 0) + (bar?.width ?? 0), (bar?.y ?? 0) + 300];
    await this.page.mouse.move(x, y);
    await this.page.mouse.down();
    await this.page.mouse.move(x + by, y, { steps: 4 });
    await this.page.mouse.up();
  }

  /** The inside of the side bar's view. */
  get sideBarPage(): FrameLocator {
    return this.#inside(`${OWN_PAGE}[not(${IN_EDITOR})]`);
  }

  /** The inside of the editor in front that is a page. */
  get editorPage(): FrameLocator {
    return this.#inside(`${OWN_PAGE}[${IN_EDITOR}]`);
  }

  /** The inside of the last page that this XPath finds. */
  #inside(path: string): FrameLocator {
    return this.page
      .locator(`xpath=${path}`)
      .last()
      .contentFrame()
      .locator("iframe#active-frame")
      .contentFrame();
  }

  /** The page of a rendered document with this heading. */
  async renderedPage(heading: string): Promise<Frame> {
    const seen = await until(
      `a page headed ${heading}`,
      async () => {
        const frames = this.page.frames();
        const counts = await Promise.all(
          frames.map((frame) =>
            frame
              .getByRole("heading", { name: heading })
              .count()
              .catch(() => 0),
          ),
        );
        return frames.find((_, index) => counts[index] === 1);
      },
      (frame) => frame !== undefined,
    );
    return seen as Frame;
  }

  /** The editor in front, once it takes keys. */
  get focusedEditor(): Locator {
    return this.page.locator(".editor-instance .monaco-editor.focused");
  }

  /** The status bar item with this text. */
  statusItem(text: string | RegExp): Locator {
    return this.page.locator(".statusbar-item", { hasText: text });
  }

  /** Press Tab until the target has the focus, from where its page has it. */
  async tabTo(target: Locator): Promise<void> {
    await until(
      "focused",
      () => target.evaluate(({ ownerDocument }) => ownerDocument.hasFocus()),
      (focused) => focused,
    );
    for (let presses = 0; presses < MOST_TABS; presses += 1) {
      if (await target.evaluate((element) => element.matches(":focus"))) {
        return;
      }
      await this.page.keyboard.press("Tab");
    }
    throw new Error(`${MOST_TABS} presses of Tab do not lead to ${target.toString()}`);
  }

  /** How long the editor took to load an extension's code, and then for the call of its `activate`. */
  async activation(extensionId: string): Promise<{ loadMs: number; callMs: number }> {
    await this.run("Developer: Startup Performance");
    await this.page.locator(".view-lines").getByText("System Info").waitFor();
    // The report is written piece by piece.
    const report = await until(
      `reported of ${extensionId}`,
      () => this.#copyEditor(),
      (text) => text.includes(`| ${extensionId} `),
    );
    await this.run("View: Close All Editors");
    const ms = (column: string) => Number(columnOf(report, extensionId, column));
    return { loadMs: ms("Load Code"), callMs: ms("Call Activate") };
  }

  async #copyEditor(): Promise<string> {
    await this.page.keyboard.press("Control+A");
    await this.page.keyboard.press("Control+C");
    return this.clipboard();
  }

  #container(name: string): Locator {
    return this.page.locator(`.activitybar a.action-label[aria-label^="${name}"]`);
  }

  /** The toasts in sight. */
  get toasts(): Locator {
    return this.page.locator(".notification-toast");
  }

  /** The toast with this text, with the mouse on it: else it would be gone after some seconds. */
  async toast(text: string | RegExp): Promise<Locator> {
    const toast = TAKES_ALL
      ? await this.#notification(text)
      : this.toasts.filter({ hasText: text });
    await toast.hover();
    return toast;
  }

  /** A toast, or what the center keeps of it: a step's pictures take longer than toasts last. */
  async #notification(text: string | RegExp): Promise<Locator> {
    const center = this.page.locator(".notifications-center .notification-list-item");
    const found = this.toasts.or(center).filter({ hasText: text }).last();
    const look = async () => {
      if (!(await found.isVisible())) {
        await this.run("Notifications: Show Notifications"); // an empty center closes at once
      }
      return found.isVisible();
    };
    await until("notified", look, Boolean);
    return found;
  }

  clipboard(): Promise<string> {
    return this.page.evaluate(() => navigator.clipboard.readText());
  }
}

/** Find a value in a Markdown table that has a row beginning with `row` and a column named `column`. */
function columnOf(report: string, row: string, column: string): string {
  const cells = (line: string) => line.split("|").map((cell) => cell.trim());
  const lines = report.split("\n");
  const titles = cells(lines.find((line) => cells(line).includes(column)) ?? "");
  const found = lines.find((line) => cells(line)[1] === row);
  const value = found === undefined ? undefined : cells(found)[titles.indexOf(column)];
  if (value === undefined) {
    throw new Error(`no ${column} of ${row} in:\n${report}`);
  }
  return value;
}
