import { filePlace } from "../../text/filePlace.js";

/** A folder of the workspace, and the address under which the page may load its files. */
export interface PictureFolder {
  readonly path: string;
  readonly uri: string;
}

/** Images that are their own address, in formats that cannot hold a script or load anything. */
const OWN_ADDRESS = /^data:image\/(?:png|jpe?g|gif|webp);base64,/iu;
/** A longer image of its own address, in characters, stays words: each copy of it takes memory. */
const MOST_CHARS = 4_000_000;
/** A larger image stays words: shown, it takes four bytes for each pixel, however small its file is. */
const MOST_PIXELS = 40_000_000;
const ABSOLUTE = /^(?:\/|[a-z]:[\\/])/iu;

let folders: readonly PictureFolder[] = [];

/** Set the folders whose images may be shown; none at first. */
export function setPictureFolders(known: readonly PictureFolder[]): void {
  folders = known;
}

/** Put a place for the picture before the words of each link to an image. */
export function withPictures(element: HTMLElement): void {
  for (const link of element.querySelectorAll<HTMLElement>("[data-image]")) {
    const picture = document.createElement("img");
    picture.className = "picture";
    picture.alt = ""; // The words follow it.
    picture.hidden = true;
    picture.dataset["image"] = link.dataset["image"];
    link.removeAttribute("data-image");
    link.prepend(picture);
  }
}

/** What pictures need of the page. */
export interface PicturePage {
  /** Ask the extension whether a file is an image that may be shown; `answered` takes the answer. */
  ask(path: string): void;
  /** Make a picture appear by a callback, which changes its height. */
  grow(picture: HTMLElement, appear: () => void): void;
}

/**
 * Loads pictures. Only images in the workspace and those that are their own address are loaded; nothing is requested
 * from the web.
 */
export class Pictures {
  readonly #page: PicturePage;
  /** Pictures whose files the extension is checking, with their addresses, by path. */
  readonly #asked = new Map<string, [HTMLImageElement, string][]>();

  constructor(page: PicturePage) {
    this.#page = page;
  }

  /** Load the pictures that are new in an element; `folder` is the one of the run that names them. */
  load(element: HTMLElement, folder: string | undefined): void {
    for (const picture of element.querySelectorAll<HTMLImageElement>("img[data-image]")) {
      const source = pictureSource(picture.dataset["image"] ?? "", folder);
      picture.removeAttribute("data-image");
      if (source === undefined) {
        picture.remove();
      } else if (source.path === undefined) {
        this.#show(picture, source.address);
      } else {
        this.#ask(source.path, picture, source.address);
      }
    }
  }

  /** Load the pictures of a file that may be shown, or remove them. */
  answered(path: string, isShown: boolean): void {
    for (const [picture, address] of this.#asked.get(path) ?? []) {
      if (isShown) {
        this.#show(picture, address);
      } else {
        picture.remove();
      }
    }
    this.#asked.delete(path);
  }

  #ask(path: string, picture: HTMLImageElement, address: string): void {
    const waiting = this.#asked.get(path);
    if (waiting === undefined) {
      this.#asked.set(path, [[picture, address]]);
      this.#page.ask(path);
    } else {
      waiting.push([picture, address]);
    }
  }

  #show(picture: HTMLImageElement, address: string): void {
    picture.addEventListener("load", () => {
      if (picture.naturalWidth * picture.naturalHeight > MOST_PIXELS) {
        picture.remove();
        return;
      }
      this.#page.grow(picture, () => {
        picture.hidden = false;
      });
    });
    picture.addEventListener("error", () => {
      picture.remove();
    });
    picture.src = address;
  }
}

/** Where an image may be loaded from, and the path of its file if it is one. */
export interface PictureSource {
  readonly address: string;
  readonly path?: string;
}

/** Return the source of an image that may be loaded; `folder` is the one of the run that names it. */
export function pictureSource(
  image: string,
  folder: string | undefined,
): PictureSource | undefined {
  if (OWN_ADDRESS.test(image)) {
    return image.length > MOST_CHARS ? undefined : { address: image };
  }
  const named = filePlace(image)?.path;
  if (named === undefined || (folder === undefined && !ABSOLUTE.test(named))) {
    return undefined;
  }
  const path = resolved(ABSOLUTE.test(named) ? named : `${folder ?? ""}/${named}`);
  for (const { path: root, uri } of folders) {
    const start = `${resolved(root)}/`;
    if (path.startsWith(start)) {
      const parts = path.slice(start.length).split("/");
      return { address: `${uri}/${parts.map(encodeURIComponent).join("/")}`, path };
    }
  }
  return undefined;
}

/** Return a path with slashes, without `.` and `..`. */
function resolved(path: string): string {
  const parts: string[] = [];
  for (const part of path.split(/[\\/]/u)) {
    if (part === "..") {
      parts.pop();
    } else if (part !== "." && (part !== "" || parts.length === 0)) {
      parts.push(part);
    }
  }
  return parts.join("/");
}
