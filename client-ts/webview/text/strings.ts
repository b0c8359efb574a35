// The texts of the page in the language of the editor.
import { localized } from "../../src/l10n/language.js";
import * as de from "./de.js";
import * as en from "./en.js";

export const SERVICE = localized(en.SERVICE, de.SERVICE);
export const STEPS = localized(en.STEPS, de.STEPS);
export const ACTIONS = localized(en.ACTIONS, de.ACTIONS);
export const HOME = localized(en.HOME, de.HOME);
export const LIST = localized(en.LIST, de.LIST);
export const COMPOSER = localized(en.COMPOSER, de.COMPOSER);
export const CONVERSATION = localized(en.CONVERSATION, de.CONVERSATION);
export const ENDING = localized(en.ENDING, de.ENDING);
export const CONTINUATION = localized(en.CONTINUATION, de.CONTINUATION);
export const OUTPUT = localized(en.OUTPUT, de.OUTPUT);
export const MINIMAP = localized(en.MINIMAP, de.MINIMAP);
export const FIND = localized(en.FIND, de.FIND);
export const MESSAGE = localized(en.MESSAGE, de.MESSAGE);
export const PLAN = localized(en.PLAN, de.PLAN);
export const QUESTION = localized(en.QUESTION, de.QUESTION);
export const FORM = localized(en.FORM, de.FORM);
export const TOOL = localized(en.TOOL, de.TOOL);
export const DIFF = localized(en.DIFF, de.DIFF);
export const cutNote = localized(en.cutNote, de.cutNote);
export const MARKDOWN = localized(en.MARKDOWN, de.MARKDOWN);
