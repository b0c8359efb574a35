import { html, nothing } from "lit-html";

import { SETUP_STEPS, type SetupStep } from "../../src/client/state.js";
import type { ServiceState } from "../../src/service/service.js";
import { ACTIONS, SERVICE, STEPS } from "../text/strings.js";
import { icon } from "./common/icon.js";
import { linkButton } from "./common/linkButton.js";
import type { Part, View } from "./common/view.js";

type Remedy = "showLog" | "repair" | "selectPython" | "restart" | "manageTrust" | "cancelSetup";

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

/** What helps if the interpreter is the problem: a reinstallation would not. */
const PYTHON_REMEDIES: readonly Remedy[] = ["selectPython", "restart", "showLog"];

/** Render the steps of setup: those that are done, the one under way with its words, and the rest. */
function steps(current: SetupStep, words: string): Part {
  const at = SETUP_STEPS.indexOf(current);
  return html`<ol class="steps">
    ${SETUP_STEPS.map((step, index) => {
      const [name, glyph] =
        index < at
          ? (["done", "check"] as const)
          : index === at
            ? (["current", "loading~spin"] as const)
            : (["next", "circle-outline"] as const);
      return html`<li class="step-${name}" aria-current=${index === at ? "step" : nothing}>
        ${icon(glyph)} <span>${index === at ? words : STEPS[step]}</span>
      </li>`;
    })}
  </ol>`;
}

/** Render why subagents cannot be launched now, and what to do about it. */
export function banner({ state: { service }, send }: View): Part {
  const { icon: name, actions: usual } = APPEARANCE[service.kind];
  const actions = service.needsPython === true ? PYTHON_REMEDIES : usual;
  const words = service.message ?? SERVICE[service.kind];
  if (words === "") {
    return undefined;
  }
  const role = service.kind === "failed" ? "alert" : "status";
  const { step } = service;
  // A screen reader hears what changes, and not all steps again.
  return html`<div
    class="banner banner-${service.kind}"
    role=${role}
    aria-atomic=${step === undefined}
  >
    ${step === undefined ? icon(name) : undefined}
    <div class="banner-body">
      ${step === undefined ? html`<p>${words}</p>` : steps(step, words)}
      ${actions.map((action) =>
        linkButton(ACTIONS[action], () => {
          send({ type: "act", action });
        }),
      )}
    </div>
  </div>`;
}
