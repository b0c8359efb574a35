// Images of Markdown: what is loaded, and from where.
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { renderMarkdown } from "../../../webview/view/markdown/markdown.js";
import {
  loadPictures,
  pictureAddress,
  setPictureFolders,
} from "../../../webview/view/markdown/pictures.js";

const PNG = "data:image/png;base64,iVBORw0KGgo=";

beforeEach(() => {
  setPictureFolders([{ path: "/home/ada/shop", uri: "https://own/shop" }]);
});

afterEach(() => {
  setPictureFolders([]);
});

test.each([
  ["docs/a b.png", "https://own/shop/docs/a%20b.png"],
  ["./docs/../a.png", "https://own/shop/a.png"],
  ["docs/a%20b.png", "https://own/shop/docs/a%20b.png"],
  ["/home/ada/shop/ü.png", "https://own/shop/%C3%BC.png"],
  ["../other/a.png", undefined],
  ["/home/ada/shop/../../../etc/a.png", undefined],
  ["/home/ada/shopping/a.png", undefined],
  ["https://example.org/a.png", undefined],
  ["//example.org/a.png", undefined],
  [PNG, PNG],
  ["data:image/svg+xml;base64,PHN2Zz4=", undefined],
  ["data:text/html;base64,PHN2Zz4=", undefined],
])("the picture of %s is loaded from %s", (image, address) => {
  expect(pictureAddress(image, "/home/ada/shop")).toBe(address);
});

test("a run elsewhere, or in an unknown folder, shows only the pictures of the workspace", () => {
  expect(pictureAddress("a.png", "/home/ada/other")).toBeUndefined();
  expect(pictureAddress("a.png", undefined)).toBeUndefined();
  expect(pictureAddress("/home/ada/shop/a.png", undefined)).toBe("https://own/shop/a.png");
});

test("folders of Windows have pictures too", () => {
  setPictureFolders([{ path: "C:\\Work\\shop", uri: "https://own/c" }]);
  expect(pictureAddress("docs\\a.png", "C:\\Work\\shop")).toBe("https://own/c/docs/a.png");
});

test("a picture appears when it is there, before its words, which stay a link", () => {
  const element = renderMarkdown("See ![A chart](docs/a.png).");
  const grow = vi.fn((_: HTMLElement, appear: () => void) => {
    appear();
  });
  expect(element.querySelector("img")?.getAttribute("src")).toBeNull();
  loadPictures(element, "/home/ada/shop", grow);
  const picture = element.querySelector<HTMLImageElement>("button.file > img");
  expect([picture?.src, picture?.hidden]).toEqual(["https://own/shop/docs/a.png", true]);
  picture?.dispatchEvent(new Event("load"));
  expect([picture?.hidden, grow.mock.calls.length]).toEqual([false, 1]);
  expect(element.textContent.trim()).toBe("See A chart.");
});

test("a picture that cannot be loaded leaves its words", () => {
  const element = renderMarkdown("![A chart](docs/a.png) ![Web](https://example.org/a.png)");
  loadPictures(element, "/home/ada/shop", vi.fn());
  expect(element.querySelectorAll("img")).toHaveLength(1);
  element.querySelector("img")?.dispatchEvent(new Event("error"));
  expect(element.querySelector("img")).toBeNull();
  expect(element.textContent.trim()).toBe("A chart Web");
  expect(element.querySelector("a")?.href).toBe("https://example.org/a.png");
});
