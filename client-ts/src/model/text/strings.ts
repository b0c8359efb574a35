// What the model's side of the extension says to people, in the language of the editor, and to models.
import * as de from "../../l10n/de/model.js";
import * as en from "../../l10n/en/model.js";
import { localized } from "../../l10n/language.js";

export const confirmations = localized(en.confirmations, de.confirmations);
export const turns = localized(en.turns, de.turns);
export const mcp = localized(en.mcp, de.mcp);
export const participant = localized(en.participant, de.participant);

// Texts for models stay in English.
export { tools } from "../../l10n/en/model.js";
