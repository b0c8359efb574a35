// Draws the panel with made-up data in a real browser: `npm run preview -- [folder] [scene...]`.
import { mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import { build } from "esbuild";
import { chromium } from "playwright-core";

import { webviewBuild } from "../../webview/build.mjs";
import { scenes } from "./scenes.mjs";
import { themes } from "./themes.mjs";

const ORIGIN = "http://panel.test";
/** A side bar as it is at first, one made wide, and a panel that other views leave little room. */
const SIZES = [
  [300, 640],
  [600, 640],
  [300, 300],
  [400, 600],
];
const [folder = "out/preview", ...wanted] = process.argv.slice(2);

/** Do what the editor does around a webview: the API, and the theme on the root element. */
function becomeWebview({ tokens, bodyClass }) {
  globalThis.acquireVsCodeApi = () => ({ postMessage() {}, getState() {}, setState() {} });
  document.addEventListener("DOMContentLoaded", () => {
    document.body.className = bodyClass;
    for (const [name, value] of Object.entries(tokens)) {
      document.documentElement.style.setProperty(`--vscode-${name}`, value);
    }
    document.documentElement.style.background = tokens["sideBar-background"];
  });
}

/** Send a scene as the extension would, and say how long the page took over it, in ms. */
async function play(messages) {
  const scene = JSON.parse(messages);
  const began = performance.now();
  for (const message of scene) {
    window.postMessage(message);
  }
  await new Promise((done) => setTimeout(() => requestAnimationFrame(done)));
  const took = performance.now() - began;
  await new Promise((done) => setTimeout(done, 150));
  return Math.round(took);
}

async function pageSource() {
  const { outputFiles } = await build({
    entryPoints: ["src/panel/page.ts"],
    format: "esm",
    write: false,
  });
  const { pageHtml } = await import(
    `data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`
  );
  const at = (name) => `${ORIGIN}/${name}`;
  return pageHtml({
    place: "sideBar",
    language: "en",
    cspSource: ORIGIN,
    scriptUri: at("main.js"),
    styleUri: at("style.css"),
    nonce: "preview",
  });
}

async function serve(route, html) {
  const name = path.basename(new URL(route.request().url()).pathname);
  const contentType = { ".js": "text/javascript", ".css": "text/css" }[path.extname(name)];
  const body = name === "page" ? html : await readFile(path.join("out/webview", name));
  await route.fulfill({ body, contentType: name === "page" ? "text/html" : contentType });
}

async function shoot(browser, html, name, theme, [width, height]) {
  const context = await browser.newContext({ viewport: { width, height } });
  const page = await context.newPage();
  page.on("console", (message) => process.stderr.write(`${name}: ${message.text()}\n`));
  page.on("pageerror", (error) => process.stderr.write(`${name}: ${error.stack}\n`));
  await page.addInitScript(becomeWebview, themes[theme]);
  await page.route(`${ORIGIN}/**`, (route) => serve(route, html));
  await page.goto(`${ORIGIN}/page`);
  const ms = await page.evaluate(play, JSON.stringify(scenes[name]));
  process.stdout.write(`${name} ${theme} ${width}x${height}: ${ms} ms\n`);
  await page.screenshot({ path: path.join(folder, `${name}-${theme}-${width}x${height}.png`) });
  await context.close();
}

await build(webviewBuild);
await mkdir(folder, { recursive: true });
const html = await pageSource();
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
for (const name of wanted.length > 0 ? wanted : Object.keys(scenes)) {
  for (const theme of Object.keys(themes)) {
    for (const size of SIZES) {
      await shoot(browser, html, name, theme, size);
    }
  }
}
await browser.close();
