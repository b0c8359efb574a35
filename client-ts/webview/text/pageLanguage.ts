// Imported first of all, since modules read their texts while they load.
import { setLanguage } from "../../src/l10n/language.js";

setLanguage(document.documentElement.lang);
