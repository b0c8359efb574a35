import { slashed } from "../../../src/text/places.js";
import { filePlace } from "../../text/filePlace.js";
import { Recent } from "./recent.js";

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
/** How long to trust the answer to a question about a file, in ms: a message that grows names it again and again. */
const TRUSTED_MS = 5_000;
/** Stands for the version of a file that cannot be shown. */
const UNSHOWN = Symbol("unshown");
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
  /** Ask the extension for the version of a file that is an image and may be shown; `answered` takes the answer. */
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
  /** Pictures whose files the extension is checking, with their places, by path. */
  readonly #asked = new Map<string, [HTMLImageElement, Place][]>();
  /** Pictures in the page, with their places. */
  readonly #placed = new Map<HTMLImageElement, Place>();
  /** The places of all pictures, also of those that left the page with a text that may be shown again. */
  readonly #places = new WeakMap<HTMLImageElement, Place>();
  /** Versions of files that may be shown, and those that cannot be, by places: a later message may name another version. */
  readonly #known = new Recent<string | typeof UNSHOWN>(TRUSTED_MS);

  constructor(page: PicturePage) {
    this.#page = page;
  }

  /** Load the pictures that are new in an element; `folder` is the one of the run that names them. */
  load(element: HTMLElement, folder: string | undefined): void {
    const left = this.#takeLeft(element);
    for (const picture of element.querySelectorAll<HTMLImageElement>("img.picture")) {
      const known = this.#places.get(picture);
      const image = picture.dataset["image"] ?? "";
      const source = known === undefined ? pictureSource(image, folder) : undefined;
      if (known !== undefined) {
        this.#placed.set(picture, known);
      } else if (source === undefined) {
        picture.remove();
      } else {
        const key = `${messageOf(picture)} ${source.address}`;
        this.#place(picture, { ...source, key }, left.get(key)?.shift());
      }
    }
  }

  /** Load a picture, or put one of its place that is loaded into the page instead. */
  #place(picture: HTMLImageElement, place: Place, loaded: HTMLImageElement | undefined): void {
    if (loaded === undefined) {
      picture.removeAttribute("data-image");
      this.#places.set(picture, place);
      this.#load(picture, place);
    } else {
      exchange(picture, loaded);
      this.#placed.set(loaded, place);
    }
  }

  /** Load the pictures of a file that may be shown, in this version, or remove them. */
  answered(path: string, version: string | undefined): void {
    for (const [picture, place] of this.#asked.get(path) ?? []) {
      this.#known.add(place.key, version ?? UNSHOWN);
      if (version === undefined) {
        this.#remove(picture);
      } else {
        this.#show(picture, place, version);
      }
    }
    this.#asked.delete(path);
  }

  /** Forget all pictures and files of a conversation: it is closed. */
  release(): void {
    this.#placed.clear();
    this.#known.clear();
  }

  /** Return the pictures that have left an element, by their places: a message that grows is drawn again. */
  #takeLeft(element: HTMLElement): Map<string, HTMLImageElement[]> {
    const left = new Map<string, HTMLImageElement[]>();
    for (const [picture, { key }] of this.#placed) {
      if (!element.contains(picture)) {
        left.set(key, [...(left.get(key) ?? []), picture]);
        this.#placed.delete(picture);
      }
    }
    return left;
  }

  #load(picture: HTMLImageElement, place: Place): void {
    this.#placed.set(picture, place);
    const known = this.#known.get(place.key);
    if (known === UNSHOWN) {
      this.#remove(picture);
    } else if (place.path === undefined || known !== undefined) {
      this.#show(picture, place, known);
    } else {
      this.#ask(place.path, picture, place);
    }
  }

  #ask(path: string, picture: HTMLImageElement, place: Place): void {
    const waiting = this.#asked.get(path);
    if (waiting === undefined) {
      this.#asked.set(path, [[picture, place]]);
      this.#page.ask(path);
    } else {
      waiting.push([picture, place]);
    }
  }

  #show(picture: HTMLImageElement, { address, path, key }: Place, version?: string): void {
    const fail = (): void => {
      if (path !== undefined) {
        this.#known.add(key, UNSHOWN);
      }
      this.#remove(picture);
    };
    picture.addEventListener("load", () => {
      if (picture.naturalWidth * picture.naturalHeight > MOST_PIXELS) {
        fail();
        return;
      }
      this.#page.grow(picture, () => {
        picture.hidden = false;
      });
    });
    picture.addEventListener("error", fail);
    // Of an address that it has loaded, the browser shows the picture of that time.
    picture.src = version === undefined ? address : `${address}?v=${version}`;
  }

  #remove(picture: HTMLImageElement): void {
    this.#placed.delete(picture);
    picture.remove();
  }
}

/** Return the number of the message that names a picture; a long message is several items. */
function messageOf(picture: HTMLImageElement): string {
  return picture.closest<HTMLElement>("[data-seq]")?.dataset["seq"] ?? "";
}

/** Put a loaded picture in the place of a new one, which can load in the old place should that be shown again. */
function exchange(picture: HTMLImageElement, earlier: HTMLImageElement): void {
  const between = document.createComment("");
  earlier.replaceWith(between);
  picture.replaceWith(earlier);
  between.replaceWith(picture);
}

/** Where an image may be loaded from, and the path of its file if it is one. */
export interface PictureSource {
  readonly address: string;
  readonly path?: string;
}

/** A source in a message, and the key of both. */
interface Place extends PictureSource {
  readonly key: string;
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

/** Return a path with slashes, without `.` and `..`; two slashes begin the path of a share on another machine. */
function resolved(path: string): string {
  const parts: string[] = [];
  for (const part of slashed(path).split("/")) {
    if (part === "..") {
      parts.pop();
    } else if (part !== "." && (part !== "" || parts.length === 0)) {
      parts.push(part);
    }
  }
  return `${/^[\\/]{2}/u.test(path) ? "/" : ""}${parts.join("/")}`;
}
