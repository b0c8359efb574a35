// The texts of the extension in the language of the editor. Others are in reports, model/text, setup, webview/text
// and package.nls.json. Texts with parameters are functions.
import * as deCommon from "../l10n/de/common.js";
import * as deDefinitions from "../l10n/de/definitions.js";
import * as deExporting from "../l10n/de/exporting.js";
import * as deHistory from "../l10n/de/history.js";
import * as deQuestions from "../l10n/de/questions.js";
import * as deRuns from "../l10n/de/runs.js";
import * as deSidecar from "../l10n/de/sidecar.js";
import * as enCommon from "../l10n/en/common.js";
import * as enDefinitions from "../l10n/en/definitions.js";
import * as enExporting from "../l10n/en/exporting.js";
import * as enHistory from "../l10n/en/history.js";
import * as enQuestions from "../l10n/en/questions.js";
import * as enRuns from "../l10n/en/runs.js";
import * as enSidecar from "../l10n/en/sidecar.js";
import { localized } from "../l10n/language.js";

export const common = localized(enCommon.common, deCommon.common);
export const sidecar = localized(enSidecar.sidecar, deSidecar.sidecar);
export const statusBar = localized(enSidecar.statusBar, deSidecar.statusBar);
export const signIn = localized(enSidecar.signIn, deSidecar.signIn);
export const deletions = localized(enHistory.deletions, deHistory.deletions);
export const windows = localized(enSidecar.windows, deSidecar.windows);
export const discovery = localized(enHistory.discovery, deHistory.discovery);
export const runs = localized(enRuns.runs, deRuns.runs);
export const attaching = localized(enRuns.attaching, deRuns.attaching);
export const apply = localized(enRuns.apply, deRuns.apply);
export const comments = localized(enRuns.comments, deRuns.comments);
export const list = localized(enHistory.list, deHistory.list);
export const marks = localized(enHistory.marks, deHistory.marks);
export const definitions = localized(enDefinitions.definitions, deDefinitions.definitions);
export const installed = localized(enDefinitions.installed, deDefinitions.installed);
export const forms = localized(enQuestions.forms, deQuestions.forms);
export const questions = localized(enQuestions.questions, deQuestions.questions);
export const history = localized(enHistory.history, deHistory.history);
export const exporting = localized(enExporting.exporting, deExporting.exporting);
export const facts = localized(enCommon.facts, deCommon.facts);

// The names of reports are part of their addresses, so they stay English.
export { reports } from "../l10n/en/exporting.js";
