import { filePlace } from "../../text/filePlace.js";

/** A folder of the workspace, and the address under which the page may load its files. */
export interface PictureFolder {
  readonly path: string;
  readonly uri: string;
}

/** Images that are their own address, in formats that cannot hold a script or load anything. */
const OWN_ADDRESS = /^data:image\/(?:png|jpe?g|gif|webp);base64,/iu;
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

/**
 * Load the pictures that are new in an element. `grow` makes each appear once it is there, by its callback. Only
 * images in the workspace and those that are their own address are loaded; nothing is requested from the web.
 */
export function loadPictures(
  element: HTMLElement,
  folder: string | undefined,
  grow: (picture: HTMLElement, appear: () => void) => void,
): void {
  for (const picture of element.querySelectorAll<HTMLImageElement>("img[data-image]")) {
    const address = pictureAddress(picture.dataset["image"] ?? "", folder);
    picture.removeAttribute("data-image");
    if (address === undefined) {
      picture.remove();
      continue;
    }
    picture.addEventListener("load", () => {
      grow(picture, () => {
        picture.hidden = false;
      });
    });
    picture.addEventListener("error", () => {
      picture.remove();
    });
    picture.src = address;
  }
}

/** Return the address of an image that may be loaded; `folder` is the one of the run that names it. */
export function pictureAddress(image: string, folder: string | undefined): string | undefined {
  if (OWN_ADDRESS.test(image)) {
    return image;
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
      return `${uri}/${parts.map(encodeURIComponent).join("/")}`;
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
