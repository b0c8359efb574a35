import "./text/pageLanguage.js";

import type { ToWebview } from "../src/panel/messages.js";
import { setHome } from "../src/text/places.js";
import { Page, type Host } from "./page/page.js";
import { prepareMarkdown } from "./view/markdown/markdown.js";
import { type PictureFolder, setPictureFolders } from "./view/markdown/pictures.js";

declare function acquireVsCodeApi(): Host;

setPictureFolders(JSON.parse(document.body.dataset["folders"] ?? "[]") as PictureFolder[]);
setHome(document.body.dataset["home"] ?? "");
const page = new Page(acquireVsCodeApi(), document);
window.addEventListener("message", ({ data }: MessageEvent<ToWebview>) => {
  page.send(data);
});
// The reader may return from editing a definition.
window.addEventListener("focus", () => {
  page.send({ type: "look" });
});
page.start();
// A flood would leave no idle time. Regular expressions are compiled at their second use.
const atLast = { timeout: 200 };
requestIdleCallback(() => {
  prepareMarkdown();
  requestIdleCallback(prepareMarkdown, atLast);
}, atLast);
