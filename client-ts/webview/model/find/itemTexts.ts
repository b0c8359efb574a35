import { fieldsOf } from "../../../src/questions/form.js";
import { isNotedError } from "../../../src/stored/notedError.js";
import { questionHeading } from "../../../src/questions/questions.js";
import { codeParts } from "../../text/codeParts.js";
import { cutText, exact, plain } from "../../text/format.js";
import { readableTexts } from "../../text/readable.js";
import { ALONE, askedTexts, type Surroundings } from "../shown/asked.js";
import { blockSource } from "../conversation/blocks.js";
import { type DiffRow, SIGNS } from "../conversation/diff.js";
import { type Item, SENT_CHARS, type ToolItem } from "../conversation/items.js";
import { answerWords, type Question } from "../conversation/question.js";
import {
  askedOf,
  placeText,
  ruleWord,
  shownPlaces,
  shownSubject,
  surroundingsOf,
} from "../shown/toolTexts.js";
import { isFormatted } from "../conversation/weight.js";
import type { TextTail } from "../conversation/textTail.js";
import { buttonChoices, fieldHint } from "../questions/fieldTexts.js";
import { type Inquiry, replyWords } from "../questions/inquiry.js";

/** What decides how an item is shown: whether its run is active, and in which folder it works. */
export interface ItemPlace {
  readonly live: boolean;
  readonly folder: string | undefined;
}

/** Return the texts that an item shows, folded or not, in their order. */
export function itemTexts(item: Item, place: ItemPlace): readonly string[] {
  switch (item.kind) {
    case "message":
      return readableTexts(blockSource(item.block));
    case "sent":
      return [plain(cutText(item.text, SENT_CHARS))];
    case "thought":
      return thoughtTexts(item.text);
    case "tool":
      return toolTexts(item, place);
    case "question":
      return questionTexts(item.question, place, ALONE);
    case "inquiry":
      return inquiryTexts(item.inquiry, place);
  }
}

function thoughtTexts(thought: TextTail): string[] {
  const text = thought.text.trim();
  return isFormatted(thought) ? readableTexts(text) : [plain(text)];
}

function toolTexts(item: ToolItem, place: ItemPlace): string[] {
  const { name, title = name, input, output, diffs = [] } = item;
  if (isNotedError(item)) {
    return given([output?.trim()]).map(plain);
  }
  const [asked, { folder }] = [askedOf(item), place];
  return [
    plain(title),
    ...given([shownSubject(item), ruleWord(item)]),
    ...given([input, output]).map(plain),
    ...shownPlaces(item, folder).listed.map((each) => placeText(each, folder)),
    ...diffs.flatMap(({ path, rows }) => [placeText({ path }, folder), ...rows.map(rowText)]),
    ...(asked === undefined ? [] : questionTexts(asked, place, surroundingsOf(item, folder))),
  ];
}

function rowText({ kind, text }: DiffRow): string {
  return `${SIGNS[kind]} ${exact(text)}`;
}

function questionTexts(
  asked: Question,
  { live, folder }: ItemPlace,
  around: Surroundings,
): string[] {
  if (asked.answer !== undefined) {
    return [codeParts(exact(answerWords(asked))).join("")];
  }
  const { code, notes } = askedTexts(asked, folder, around);
  return live ? [questionHeading(asked), ...code, ...notes.map((note) => note.join(" "))] : [];
}

function inquiryTexts(inquiry: Inquiry, { live }: ItemPlace): string[] {
  const { title, message = title, schema, url = "", reply } = inquiry;
  if (reply !== undefined) {
    const { text, values } = replyWords(inquiry);
    return [message, text, ...values.flat()].map(plain);
  }
  if (!live) {
    return [];
  }
  if (schema === undefined) {
    return [plain(message), exact(url)];
  }
  const fields = fieldsOf(schema).flatMap((field) => [
    ...given([field.label, fieldHint(field)]),
    ...buttonChoices(field).flatMap((choice) => given([choice.title, choice.description])),
  ]);
  return [...given([message, schema.description]), ...fields].map(plain);
}

function given(texts: readonly (string | undefined)[]): string[] {
  return texts.filter((text) => text !== undefined);
}
