import type { View } from "../common/view.js";

/** How long a button shows that it copied, in ms. */
const COPIED_MS = 1_500;

/** Handle clicks on buttons in rendered Markdown. */
export function onMarkdownClick(event: Event, taskId: string, send: View["send"]): void {
  const button = (event.target as Element).closest<HTMLElement>(".markdown button");
  const { path, line } = button?.dataset ?? {};
  if (button === null) {
    return;
  }
  if (path !== undefined) {
    send({ type: "openFile", taskId, path, ...(line === undefined ? {} : { line: Number(line) }) });
  } else if (button.classList.contains("copy")) {
    void copy(button);
  } else if (button.classList.contains("insert")) {
    send({ type: "insertCode", text: codeOf(button) });
  } else if (button.classList.contains("apply")) {
    const file = button.closest<HTMLElement>(".code")?.dataset["file"];
    send({ type: "applyCode", taskId, text: codeOf(button), ...(file && { file }) });
  }
}

function codeOf(button: HTMLElement): string {
  return button.closest(".code")?.querySelector("pre")?.textContent ?? "";
}

async function copy(button: HTMLElement): Promise<void> {
  await navigator.clipboard.writeText(codeOf(button));
  const glyph = button.querySelector(".codicon");
  glyph?.classList.replace("codicon-copy", "codicon-check");
  setTimeout(() => glyph?.classList.replace("codicon-check", "codicon-copy"), COPIED_MS);
}
