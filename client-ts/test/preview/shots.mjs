// Draws each state of the pages with made-up data in a real browser, in each theme and width, and joins the
// pictures into sheets: `npm run preview -- [folder] [scene...]`. Reports text that is cut off.
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { build } from "esbuild";
import { chromium } from "playwright-core";

import { webviewBuild } from "../../webview/build.mjs";
import { cutTexts } from "./cut.mjs";
import { Booth } from "./booth.mjs";
import { scenes } from "./scenes.mjs";
import { sheetHtml } from "./sheet.mjs";
import { themes } from "./themes.mjs";

/** The sizes of each kind of page, in CSS pixels; a page at 200 % has half of the window's. */
const SIZES = {
  list: [
    { place: "sideBar", width: 170, height: 640 },
    { place: "sideBar", width: 300, height: 640 },
    { place: "sideBar", width: 600, height: 640 },
    { place: "sideBar", width: 200, height: 320, zoom: 2 },
  ],
  conversation: [
    { place: "sideBar", width: 170, height: 640 },
    { place: "sideBar", width: 300, height: 640 },
    { place: "editor", width: 400, height: 700 },
    { place: "editor", width: 900, height: 700 },
    { place: "editor", width: 450, height: 350, zoom: 2 },
  ],
};
const [folder = "out/preview", ...wanted] = process.argv.slice(2);

function kindOf(scene) {
  return scene.some(({ type }) => type === "open") ? "conversation" : "list";
}

function nameOf({ place, width, height, zoom = 1 }) {
  return `${place}-${width}x${height}${zoom === 1 ? "" : `@${zoom}`}`;
}

await build({ ...webviewBuild });
await mkdir(folder, { recursive: true });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});
const names = wanted.length > 0 ? wanted : Object.keys(scenes);
for (const [theme, look] of Object.entries(themes)) {
  for (const kind of Object.keys(SIZES)) {
    for (const size of SIZES[kind]) {
      const booth = await Booth.open(browser, look, size);
      const pictures = [];
      for (const name of names.filter((each) => kindOf(scenes[each]) === kind)) {
        const file = `${name}-${theme}-${nameOf(size)}.png`;
        const page = await booth.play(name, scenes[name]);
        await page.screenshot({ path: path.join(folder, file) });
        for (const text of await page.evaluate(cutTexts)) {
          process.stdout.write(`${file}: cut off: ${text}\n`);
        }
        pictures.push({ name, file });
      }
      await booth.close();
      if (pictures.length > 0) {
        const sheet = `sheet-${theme}-${kind}-${nameOf(size)}`;
        await writeFile(path.join(folder, `${sheet}.html`), sheetHtml(sheet, pictures, size));
        await photograph(sheet);
      }
    }
  }
}
await browser.close();

/** Make one picture of a sheet. */
async function photograph(sheet) {
  const page = await browser.newPage({ viewport: { width: 1900, height: 800 } });
  await page.goto(`file://${path.resolve(folder, `${sheet}.html`)}`);
  await page.screenshot({ path: path.join(folder, `${sheet}.png`), fullPage: true });
  await page.close();
  process.stdout.write(`${path.join(folder, `${sheet}.png`)}\n`);
}
