// The texts of the reports in the language of the editor.
import * as deQueryHelp from "../l10n/de/queryHelp.js";
import * as deReports from "../l10n/de/reports.js";
import * as enQueryHelp from "../l10n/en/queryHelp.js";
import * as enReports from "../l10n/en/reports.js";
import { localized } from "../l10n/language.js";

export { UNKNOWN } from "../l10n/en/reports.js";

export const doctor = localized(enReports.doctor, deReports.doctor);
export const fleet = localized(enReports.fleet, deReports.fleet);
export const totals = localized(enReports.totals, deReports.totals);
export const queryHelp = localized(enQueryHelp.queryHelp, deQueryHelp.queryHelp);
