// Images of Markdown: what is loaded, and from where.
/// <reference types="vite/client" />
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import sheet from "../../../webview/styles/markdown.css?raw";
import { renderMarkdown } from "../../../webview/view/markdown/markdown.js";
import {
  Pictures,
  pictureSource,
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
  expect(pictureSource(image, "/home/ada/shop")?.address).toBe(address);
});

test("a run elsewhere, or in an unknown folder, shows only the pictures of the workspace", () => {
  expect(pictureSource("a.png", "/home/ada/other")).toBeUndefined();
  expect(pictureSource("a.png", undefined)).toBeUndefined();
  expect(pictureSource("/home/ada/shop/a.png", undefined)).toEqual({
    address: "https://own/shop/a.png",
    path: "/home/ada/shop/a.png",
  });
});

test("folders of Windows have pictures too", () => {
  setPictureFolders([{ path: "C:\\Work\\shop", uri: "https://own/c" }]);
  expect(pictureSource("docs\\a.png", "C:\\Work\\shop")?.address).toBe("https://own/c/docs/a.png");
});

test.each([
  ["C:\\Work\\shop", "c:\\Work\\shop\\a.png"],
  ["c:\\Work\\shop", "C:/Work/shop/a.png"],
])("the drive of a folder, %s, may be written as in %s", (folder, image) => {
  setPictureFolders([{ path: folder, uri: "https://own/c" }]);
  expect(pictureSource(image, folder)?.address).toBe("https://own/c/a.png");
  expect(pictureSource("a.png", folder.toLowerCase())).toBeUndefined(); // names keep their case
});

test("a folder on a share has pictures, but no other place on that machine", () => {
  const folder = "\\\\nas\\share\\shop";
  setPictureFolders([{ path: folder, uri: "https://own/n" }]);
  expect(pictureSource("docs\\a.png", folder)).toEqual({
    address: "https://own/n/docs/a.png",
    path: "//nas/share/shop/docs/a.png",
  });
  for (const image of ["..\\a.png", "/nas/share/shop/a.png", "\\\\other\\share\\shop\\a.png"]) {
    expect(pictureSource(image, folder)).toBeUndefined();
  }
});

/** Pictures of some Markdown in the shop, and what they ask for. */
function loaded(markdown: string) {
  const element = renderMarkdown(markdown);
  const ask = vi.fn();
  const grow = vi.fn((_: HTMLElement, appear: () => void) => {
    appear();
  });
  const pictures = new Pictures({ ask, grow });
  pictures.load(element, "/home/ada/shop");
  const images = () => [...element.querySelectorAll("img")];
  return { element, pictures, ask, grow, images };
}

test("a picture appears when it is there, before its words, which stay a link", () => {
  const { element, pictures, ask, grow, images } = loaded("See ![A chart](docs/a.png).");
  const [picture] = images();
  expect(ask.mock.calls).toEqual([["/home/ada/shop/docs/a.png"]]);
  expect(picture?.getAttribute("src")).toBeNull();
  pictures.answered("/home/ada/shop/docs/a.png", "1");
  expect([picture?.src, picture?.hidden]).toEqual(["https://own/shop/docs/a.png?v=1", true]);
  expect(picture?.parentElement?.matches("button.file")).toBe(true);
  picture?.dispatchEvent(new Event("load"));
  expect([picture?.hidden, grow.mock.calls.length]).toEqual([false, 1]);
  expect(element.textContent.trim()).toBe("See A chart.");
});

test("a picture that cannot be loaded leaves its words", () => {
  const { element, pictures, images } = loaded(
    "![A chart](docs/a.png) ![Web](https://example.org/a.png)",
  );
  pictures.answered("/home/ada/shop/docs/a.png", "1");
  expect(images()).toHaveLength(1);
  images()[0]?.dispatchEvent(new Event("error"));
  expect(images()).toEqual([]);
  expect(element.textContent.trim()).toBe("A chart Web");
  expect(element.querySelector("a")?.href).toBe("https://example.org/a.png");
});

test("a file is asked for once, and its pictures are removed if it may not be shown", () => {
  const { pictures, ask, images } = loaded("![A](a.png) ![A](./a.png) ![B](b.png)");
  expect(ask.mock.calls).toEqual([["/home/ada/shop/a.png"], ["/home/ada/shop/b.png"]]);
  pictures.answered("/home/ada/shop/a.png", undefined);
  expect(images()).toHaveLength(1);
  pictures.answered("/home/ada/shop/other.png", "1"); // which nothing asked for
  expect(images()[0]?.getAttribute("src")).toBeNull();
});

test("images with too many pixels or characters stay words", () => {
  expect(pictureSource(PNG + "A".repeat(4_000_000), undefined)).toBeUndefined();
  const { images } = loaded(`![Huge](${PNG})`);
  const [picture] = images();
  Object.defineProperties(picture ?? {}, {
    naturalWidth: { value: 30_000 },
    naturalHeight: { value: 30_000 },
  });
  picture?.dispatchEvent(new Event("load"));
  expect(images()).toEqual([]);
});

test("a file that may be shown is not asked for again for some seconds", () => {
  vi.useFakeTimers();
  const { element, pictures, ask, images } = loaded("![A](a.png)");
  const again = () => {
    const more = renderMarkdown("![A](./a.png)");
    element.append(more);
    pictures.load(element, "/home/ada/shop");
  };
  pictures.answered("/home/ada/shop/a.png", "1");
  again();
  expect(images()[1]?.src).toBe("https://own/shop/a.png?v=1");
  expect(ask).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(6_000);
  again();
  expect(ask).toHaveBeenCalledTimes(2);
  vi.useRealTimers();
});

test("a file that cannot be shown is not loaded again at once", () => {
  const { element, pictures, images } = loaded("![A](a.png)");
  pictures.answered("/home/ada/shop/a.png", "1");
  images()[0]?.dispatchEvent(new Event("error"));
  element.append(renderMarkdown("![A](a.png)"));
  pictures.load(element, "/home/ada/shop");
  expect(images()).toEqual([]);
});

test("a text that is shown again has its picture, though another took the loaded one", () => {
  const { element, pictures, ask, images } = loaded("![A](a.png)");
  pictures.answered("/home/ada/shop/a.png", "1");
  const [text] = element.childNodes;
  const [first] = images();
  element.replaceChildren(renderMarkdown("![B](a.png)"));
  pictures.load(element, "/home/ada/shop");
  expect(images()).toEqual([first]);
  element.append(text ?? "");
  pictures.load(element, "/home/ada/shop");
  expect(images().map(({ src }) => src)).toEqual(Array(2).fill("https://own/shop/a.png?v=1"));
  expect(ask).toHaveBeenCalledTimes(1);
});

test("a picture that left with its text and returned stays when the text grows", () => {
  const { element, pictures, images } = loaded("![A](a.png)");
  pictures.answered("/home/ada/shop/a.png", "1");
  const text = [...element.childNodes];
  const [picture] = images();
  for (const shown of [[], text, [renderMarkdown("![A](a.png) more")]]) {
    element.replaceChildren(...shown);
    pictures.load(element, "/home/ada/shop");
  }
  expect(images()).toHaveLength(1);
  expect(images()[0]).toBe(picture);
});

test("a button is a line of its own while a picture is in it", () => {
  document.head.innerHTML = `<style>${sheet}</style>`;
  const { element, pictures, images } = loaded("Before: ![A](a.png)");
  document.body.replaceChildren(element);
  const button = element.querySelector("button.file");
  const display = () => button && getComputedStyle(button).display;
  pictures.answered("/home/ada/shop/a.png", "1");
  expect(display()).toBe("inline");
  images()[0]?.dispatchEvent(new Event("load"));
  expect(display()).toBe("block");
  document.head.innerHTML = "";
});
