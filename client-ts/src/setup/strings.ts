// Progress of setup, in the language of the editor.
import * as de from "../l10n/de/setup.js";
import * as en from "../l10n/en/setup.js";
import { localized } from "../l10n/language.js";

export const SETUP = localized(en.SETUP, de.SETUP);
