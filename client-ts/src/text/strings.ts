// The texts of the extension in the language of the editor.
import * as de from "../l10n/de/extension.js";
import * as en from "../l10n/en/extension.js";
import { localized } from "../l10n/language.js";

export const common = localized(en.common, de.common);
export const sidecar = localized(en.sidecar, de.sidecar);
export const statusBar = localized(en.statusBar, de.statusBar);
export const signIn = localized(en.signIn, de.signIn);
export const deletions = localized(en.deletions, de.deletions);
export const windows = localized(en.windows, de.windows);
export const discovery = localized(en.discovery, de.discovery);
export const runs = localized(en.runs, de.runs);
export const list = localized(en.list, de.list);
export const marks = localized(en.marks, de.marks);
export const definitions = localized(en.definitions, de.definitions);
export const forms = localized(en.forms, de.forms);
export const questions = localized(en.questions, de.questions);
export const history = localized(en.history, de.history);
export const exporting = localized(en.exporting, de.exporting);
export const facts = localized(en.facts, de.facts);

// Reports are documents in English, whose names are part of their addresses.
export { reports } from "../l10n/en/extension.js";
