import { html } from "lit-html";

import type { Action } from "../../src/panel/messages.js";
import type { ServiceState } from "../../src/service/service.js";
import { icon } from "./icon.js";
import type { Part, View } from "./view.js";

const WORDS: Record<
  ServiceState["kind"],
  { icon: string; text: string; actions: readonly Action[] }
> = {
  idle: { icon: "circle-slash", text: "The sidecar is not running.", actions: ["restart"] },
  running: { icon: "info", text: "", actions: [] },
  settingUp: { icon: "loading~spin", text: "Setting up the sidecar…", actions: [] },
  starting: { icon: "loading~spin", text: "Starting the sidecar…", actions: [] },
  restarting: { icon: "loading~spin", text: "The sidecar is restarting…", actions: ["showLog"] },
  failed: {
    icon: "error",
    text: "The sidecar cannot run.",
    actions: ["restart", "repair", "showLog"],
  },
  untrusted: {
    icon: "shield",
    text: "This window is in Restricted Mode: subagents can be looked at, but not launched.",
    actions: ["manageTrust"],
  },
};

const LABELS: Partial<Record<Action, string>> = {
  showLog: "Show Log",
  repair: "Reinstall",
  restart: "Try Again",
  manageTrust: "Manage Workspace Trust",
};

/** Say why launching does not work now, and what can be done about it. */
export function banner({ state: { service }, send }: View): Part {
  const { icon: name, text, actions } = WORDS[service.kind];
  const words = service.message ?? text;
  if (words === "") {
    return undefined;
  }
  const role = service.kind === "failed" ? "alert" : "status";
  return html`<div class="banner banner-${service.kind}" role=${role}>
    ${icon(name)}
    <div class="banner-body">
      <p>${words}</p>
      ${actions.map(
        (action) =>
          html`<button
            type="button"
            class="link"
            @click=${() => {
              send({ type: "act", action });
            }}
          >
            ${LABELS[action]}
          </button>`,
      )}
    </div>
  </div>`;
}
