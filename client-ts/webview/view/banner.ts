import { html } from "lit-html";

import type { ServiceState } from "../../src/service/service.js";
import { ACTIONS, SERVICE } from "../text/strings.js";
import { icon } from "./common/icon.js";
import { linkButton } from "./common/linkButton.js";
import type { Part, View } from "./common/view.js";

type Remedy = "showLog" | "repair" | "restart" | "manageTrust" | "cancelSetup";

const APPEARANCE: Readonly<
  Record<ServiceState["kind"], { icon: string; actions: readonly Remedy[] }>
> = {
  idle: { icon: "circle-slash", actions: ["restart"] },
  running: { icon: "info", actions: [] },
  settingUp: { icon: "loading~spin", actions: ["cancelSetup"] },
  starting: { icon: "loading~spin", actions: [] },
  restarting: { icon: "loading~spin", actions: ["showLog"] },
  failed: { icon: "error", actions: ["restart", "repair", "showLog"] },
  untrusted: { icon: "shield", actions: ["manageTrust"] },
};

/** Render why subagents cannot be launched now, and what to do about it. */
export function banner({ state: { service }, send }: View): Part {
  const { icon: name, actions } = APPEARANCE[service.kind];
  const words = service.message ?? SERVICE[service.kind];
  if (words === "") {
    return undefined;
  }
  const role = service.kind === "failed" ? "alert" : "status";
  return html`<div class="banner banner-${service.kind}" role=${role}>
    ${icon(name)}
    <div class="banner-body">
      <p>${words}</p>
      ${actions.map((action) =>
        linkButton(ACTIONS[action], () => {
          send({ type: "act", action });
        }),
      )}
    </div>
  </div>`;
}
