import { html } from "lit-html";

import type { Changes, TouchedFile } from "../../../src/protocol.js";
import { isSameFile, pathInside } from "../../../src/text/places.js";
import { outcome } from "../../../src/text/outcomeStrings.js";
import { changedPath, listedChanges } from "../../model/shown/endTexts.js";
import { ENDING, HOME } from "../../text/strings.js";
import { icon } from "../common/icon.js";
import { linkButton } from "../common/linkButton.js";
import type { Part, View } from "../common/view.js";

interface Changed {
  readonly taskId: string;
  readonly files: readonly TouchedFile[];
  /** The paths of those whose changes can be shown. */
  readonly texts: readonly string[];
  readonly counts: Changes | undefined;
  readonly folder: string;
}

/**
 * Render the files that a run changed. Each opens as a diff, and all together; a file whose texts the
 * run did not report opens as it is now.
 */
export function changes(changed: Changed, { send }: View): Part {
  const { taskId, files, texts, counts } = changed;
  const listed = listedChanges(files);
  const left = files.length - listed.length;
  return html`<div class="changes">
    <div class="changes-head">
      ${icon("diff-multiple")}
      <h2>${ENDING.changes(files.length)}</h2>
      ${allLines(counts)} ${texts.length === 0 ? undefined : viewAll(taskId, send)}
    </div>
    <ul class="changed-files">
      ${listed.map((file) => html`<li>${changedFile(file, changed, send)}</li>`)}
    </ul>
    ${left > 0 ? html`<p class="hint">${moreFiles(left, changed, send)}</p>` : undefined}
  </div>`;
}

/** Name the number of files that are not listed: the changes of all of them show those too. */
function moreFiles(left: number, { taskId, texts }: Changed, send: View["send"]): Part {
  const words = ENDING.moreFiles(left);
  return texts.length === 0
    ? html`${words}`
    : linkButton(words, () => {
        send({ type: "openChanges", taskId });
      });
}

function viewAll(taskId: string, send: View["send"]): Part {
  return html`<button
    type="button"
    class="secondary"
    @click=${() => {
      send({ type: "openChanges", taskId });
    }}
  >
    ${ENDING.viewAll}
  </button>`;
}

function changedFile(
  file: TouchedFile,
  { taskId, folder, texts }: Changed,
  send: View["send"],
): Part {
  const { path } = file;
  const name = changedPath(file, folder);
  const words = fileWords(file, name);
  const hasTexts = texts.some((each) => isSameFile(each, path));
  if (!hasTexts && (file.actions.includes("deleted") || pathInside(path, folder) === undefined)) {
    return html`<div class="changed-file" data-words=${name}>${words}</div>`;
  }
  return html`<button
    type="button"
    class="changed-file"
    data-words=${name}
    title=${hasTexts ? ENDING.viewChange(name) : HOME.open(name)}
    @click=${() => {
      send({ type: hasTexts ? "openChanges" : "openFile", taskId, path });
    }}
  >
    ${words}
  </button>`;
}

function fileWords({ actions, additions, deletions }: TouchedFile, name: string): Part {
  const at = name.lastIndexOf("/") + 1;
  return html`<span class="file-name"><bdi>${name.slice(at)}</bdi></span>
    <span class="file-folder"><bdi>${name.slice(0, Math.max(0, at - 1))}</bdi></span>
    ${actions.includes("deleted") ? html`<span class="hint">${ENDING.deletedFile}</span>` : undefined}
    ${lines(additions ?? undefined, deletions ?? undefined)}`;
}

/** Render how many lines a run changed, and in how many files they were not counted, as rows say it. */
function allLines(counts: Changes | undefined): Part {
  const { files = 0, additions, deletions, uncountedFiles = 0 } = counts ?? {};
  if (uncountedFiles === 0) {
    return lines(additions, deletions);
  }
  return uncountedFiles >= files
    ? undefined
    : html`${lines(additions, deletions)}
        <span class="hint">(${outcome.uncounted(uncountedFiles)})</span>`;
}

function lines(additions: number | undefined, deletions: number | undefined): Part {
  return additions === undefined && deletions === undefined
    ? undefined
    : html`<span class="diff-count">
        <span class="diff-added">+${additions ?? 0}</span>
        <span class="diff-removed">−${deletions ?? 0}</span>
      </span>`;
}
