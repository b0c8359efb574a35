import { readFile } from "node:fs/promises";
import path from "node:path";
import { build } from "esbuild";

const ORIGIN = "http://panel.test";
const TYPES = { ".js": "text/javascript", ".css": "text/css", ".ttf": "font/ttf" };

/** Where pages of one size and theme are drawn as the editor would. */
export class Booth {
  #context;
  #html;

  constructor(context, html) {
    this.#context = context;
    this.#html = html;
  }

  static async open(browser, look, { place, width, height, zoom = 1 }) {
    const context = await browser.newContext({
      viewport: { width, height },
      deviceScaleFactor: zoom,
      reducedMotion: "reduce",
    });
    await context.addInitScript(becomeWebview, { ...look, place });
    return new Booth(context, await pageSource(place));
  }

  /** Draw a scene in a page of its own, which stays open until the next one. */
  async play(name, messages) {
    await Promise.all(this.#context.pages().map((page) => page.close()));
    const page = await this.#context.newPage();
    page.on("console", (message) => process.stderr.write(`${name}: ${message.text()}\n`));
    page.on("pageerror", (error) => process.stderr.write(`${name}: ${error.stack}\n`));
    await page.route(`${ORIGIN}/**`, (route) => serve(route, this.#html));
    await page.goto(`${ORIGIN}/page`);
    await page.evaluate(play, JSON.stringify(messages));
    return page;
  }

  close() {
    return this.#context.close();
  }
}

/** Do what the editor does around a webview: the API, and the theme on the root element. */
function becomeWebview({ tokens, bodyClass, place }) {
  globalThis.acquireVsCodeApi = () => ({ postMessage() {}, getState() {}, setState() {} });
  document.addEventListener("DOMContentLoaded", () => {
    const { documentElement: root } = document;
    document.body.className = bodyClass;
    for (const [name, value] of Object.entries(tokens)) {
      root.style.setProperty(name, value);
    }
    root.style.background = tokens[`--vscode-${place}-background`];
  });
}

/** Send a scene as the extension would, and wait until it is drawn. */
async function play(messages) {
  for (const message of JSON.parse(messages)) {
    window.postMessage(message);
  }
  await new Promise((done) => setTimeout(() => requestAnimationFrame(done)));
  await new Promise((done) => setTimeout(done, 150));
}

async function pageSource(place) {
  const { outputFiles } = await build({
    entryPoints: ["src/panel/page.ts"],
    bundle: true,
    format: "esm",
    write: false,
  });
  const { pageHtml } = await import(
    `data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`
  );
  const at = (name) => `${ORIGIN}/${name}`;
  return pageHtml({
    place,
    home: "/home/ada",
    folders: [],
    language: process.env.LANGUAGE_OF_PAGE ?? "en",
    cspSource: ORIGIN,
    scriptUri: at("main.js"),
    styleUri: at("style.css"),
    nonce: "preview",
  });
}

async function serve(route, html) {
  const name = path.basename(new URL(route.request().url()).pathname);
  if (name === "page") {
    await route.fulfill({ body: html, contentType: "text/html" });
    return;
  }
  const body = await readFile(path.join("out/webview", name));
  await route.fulfill({ body, contentType: TYPES[path.extname(name)] });
}
