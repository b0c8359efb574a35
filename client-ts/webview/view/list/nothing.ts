import { html } from "lit-html";

import type { Entry } from "../../model/list/entries.js";
import { LIST } from "../../text/strings.js";
import { linkButton } from "../common/linkButton.js";
import type { Part, View } from "../common/view.js";

/** Render why the list is empty, and where tasks are that it does not show. */
export function nothingListed({ state, send }: View, entries: readonly Entry[]): Part {
  const { history, scope, filter } = state.list;
  if (entries.length > 0 || history === undefined) {
    return undefined;
  }
  const elsewhere = history.total - history.matched;
  const offersAll = scope === "workspace" && elsewhere > 0;
  const isFiltered = filter !== ""; // then it is not known how many match elsewhere
  const words = isFiltered ? LIST.noMatch : offersAll ? LIST.noneHere : LIST.none;
  return html`<div class="nothing">
    <p>${words}</p>
    ${
      offersAll
        ? linkButton(isFiltered ? LIST.searchAll : LIST.showAll(elsewhere), () => {
            send({ type: "act", action: "showAll" });
          })
        : undefined
    }
  </div>`;
}
