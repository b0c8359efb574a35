import type { Locator } from "playwright-core";

import type { Workbench } from "./workbench.ts";

/** The editor's own chat. */
export class ChatView {
  readonly #workbench: Workbench;

  constructor(workbench: Workbench) {
    this.#workbench = workbench;
  }

  get #view(): Locator {
    return this.#workbench.page.locator(".interactive-session");
  }

  /** A message of the user with this text. */
  request(text: string): Locator {
    return this.#view.locator(".interactive-request", { hasText: text }).last();
  }

  /** An answer with this text. */
  response(text: string): Locator {
    return this.#view.locator(".interactive-response", { hasText: text }).last();
  }

  /** Type a message and send it. */
  async send(text: string): Promise<void> {
    await this.#view.locator(".interactive-input-editor .view-lines").click();
    await this.#workbench.page.keyboard.type(text);
    await this.#workbench.page.keyboard.press("Escape"); // the suggestions
    await this.#workbench.page.keyboard.press("Enter");
  }

  /** Close the dialog that asks for a sign-in, which the editor's own agent needs. */
  async declineSignIn(): Promise<void> {
    const dialog = this.#workbench.page.getByRole("dialog").filter({ hasText: "Sign in" });
    await dialog.locator("a.action-label[aria-label^=Close]").click();
    await dialog.waitFor({ state: "detached" });
  }
}
