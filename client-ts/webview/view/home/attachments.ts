import { html } from "lit-html";

import { COMPOSER } from "../../text/strings.js";
import { attachedIcon } from "../common/attached.js";
import { icon } from "../common/icon.js";
import type { Part, View } from "../common/view.js";

/** As much as an agent gets of one content. */
const MOST_BYTES = 10 * 1024 * 1024;
const URI_LISTS = ["application/vnd.code.uri-list", "text/uri-list"];

/** Render the files that the agent gets with the goal, each with a button that removes it. */
export function attachments({ state, send }: View): Part {
  const { files = [] } = state.draft;
  return files.length === 0
    ? undefined
    : html`<ul class="others chips" aria-label=${COMPOSER.attachments}>
        ${files.map((path) => {
          const name = nameOf(path);
          return html`<li title=${path}>
            ${attachedIcon(name)}
            <bdi>${name}</bdi>
            <button
              type="button"
              class="icon-button"
              title=${COMPOSER.detach(name)}
              aria-label=${COMPOSER.detach(name)}
              @click=${() => {
                send({ type: "detach", path });
              }}
            >
              ${icon("close")}
            </button>
          </li>`;
        })}
      </ul>`;
}

/** Render the button that lets the user choose files. */
export function attachButton({ send }: Pick<View, "send">): Part {
  return html`<button
    type="button"
    class="icon-button"
    title=${COMPOSER.attachHint}
    aria-label=${COMPOSER.attach}
    @click=${() => {
      send({ type: "attach" });
    }}
  >
    ${icon("attach")}
  </button>`;
}

/** Attach pasted files and images; text stays text, even if its program adds a picture of it. */
export function onPaste(event: ClipboardEvent, send: View["send"]): void {
  const files = [...(event.clipboardData?.files ?? [])];
  if (files.length > 0 && event.clipboardData?.getData("text/plain") === "") {
    event.preventDefault();
    void attachContents(files, send);
  }
}

/** Let files be dropped. */
export function onDragOver(event: DragEvent): void {
  const items = [...(event.dataTransfer?.items ?? [])];
  if (items.some(({ kind, type }) => kind === "file" || URI_LISTS.includes(type))) {
    event.preventDefault();
  }
}

/** Attach dropped files: those of the editor by their addresses, others with their content. */
export function onDrop(event: DragEvent, send: View["send"]): void {
  const { dataTransfer } = event;
  const uris = urisOf(dataTransfer);
  const files = [...(dataTransfer?.files ?? [])];
  if (uris.length > 0) {
    event.preventDefault();
    send({ type: "attach", uris });
  } else if (files.length > 0) {
    event.preventDefault();
    void attachContents(files, send);
  }
}

function urisOf(dataTransfer: DataTransfer | null): string[] {
  const lists = URI_LISTS.map((type) => dataTransfer?.getData(type) ?? "");
  const [list = ""] = lists.filter((each) => each !== "");
  return list.split(/\r?\n/u).filter((uri) => /^(?!https?:)[\w+.-]+:/iu.test(uri));
}

async function attachContents(files: readonly File[], send: View["send"]): Promise<void> {
  const large = files.find(({ size }) => size > MOST_BYTES);
  if (large !== undefined) {
    send({ type: "attachFailed", message: COMPOSER.tooLarge(large.name) });
    return;
  }
  try {
    const contents = await Promise.all(
      files.map(async (file) => ({ name: file.name, data: await base64(file) })),
    );
    send({ type: "attach", contents });
  } catch {
    send({ type: "attachFailed", message: COMPOSER.unreadable }); // a folder, for example
  }
}

function base64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => {
      const url = typeof reader.result === "string" ? reader.result : "";
      resolve(url.slice(url.indexOf(",") + 1));
    };
    reader.onerror = () => {
      reject(reader.error ?? new Error(file.name));
    };
    reader.readAsDataURL(file);
  });
}

function nameOf(path: string): string {
  return path.split(/[\\/]/u).at(-1) ?? path;
}
