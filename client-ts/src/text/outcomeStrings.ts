// What a run does and how it ended, in the language of the editor.
import * as de from "../l10n/de/outcome.js";
import * as en from "../l10n/en/outcome.js";
import { localized } from "../l10n/language.js";

export const outcome = localized(en.outcome, de.outcome);
