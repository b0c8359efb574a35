import type * as en from "../en/questions.js";
import { plural } from "../format.js";
import type { Texts } from "../language.js";

const letters = (count: number): string => plural(count, "Zeichen", "Zeichen");
const answers = (count: number): string => plural(count, "Antwort", "Antworten");

export const questions: Texts<typeof en.questions> = {
  doings: {
    execute: ["ausführen", "Diesen Befehl ausführen?"],
    edit: ["bearbeiten", "Diese Änderung vornehmen?"],
    delete: ["löschen", "Das löschen?"],
    move: ["verschieben", "Das verschieben?"],
    read: ["lesen", "Das lesen?"],
    search: ["suchen", "Hier suchen?"],
    fetch: ["abrufen", "Diese Adresse abrufen?"],
  },
  allowThis: "Das erlauben?",
  line: (name, verb, folder, what) =>
    `${name} ${verb === undefined ? "fragt" : `möchte ${verb}`}${folder === undefined ? "" : ` in ${folder}`}: ${what}`,
  allowOnce: "Einmal erlauben",
  reject: "Ablehnen",
  allowAlways: (scope) => `Immer erlauben: ${scope}`,
  rejectAlways: (scope) => `Immer ablehnen: ${scope}`,
  scopes: {
    edits: (files) => `Änderungen an ${files}`,
    deletions: (files) => `Löschen von ${files}`,
    moves: (files) => `Verschieben von ${files}`,
    requests: (address) => `Anfragen an ${address}`,
    call: (what) => `genau dieser Aufruf von ${what}`,
    command: (command) => `${command} in diesem Arbeitsbereich`,
    reads: "Lesen in diesem Arbeitsbereich",
    searches: "Suchen in diesem Arbeitsbereich",
  },
  answer: (name) => `${name} antworten`,
  allowed: "Erlaubt",
  rejected: "Abgelehnt",
  alwaysAllowed: (scope) => `Immer erlaubt: ${scope}`,
  alwaysRejected: (scope) => `Immer abgelehnt: ${scope}`,
  select: "Wählen Sie eine Frage",
  selectAnswer: "Wählen Sie eine Antwort",
  seeAll: "Zeigen Sie die Unterhaltung an, um die ganze Anfrage zu sehen und sie zu erlauben",
  showConversation: "Unterhaltung anzeigen",
  none: "Kein Subagent wartet auf eine Antwort.",
  noPermissions: "Keine gemerkten Berechtigungen.",
  permissions: "Gemerkte Berechtigungen",
  selectToForget:
    "Wählen Sie Berechtigungen zum Vergessen. Beim nächsten Mal werden Sie wieder gefragt.",
  forgot: (count) => `${plural(count, "Berechtigung", "Berechtigungen")} vergessen.`,
  permission: (isAllowed, what) => `Immer ${isAllowed ? "erlauben" : "ablehnen"}: ${what}`,
  every: (toolKind) => `jedes ${toolKind}`,
  ofWorkspace: (name) => `${name} dieses Arbeitsbereichs`,
  notUsed: "aus einer früheren Version, nicht verwendet",
};

export const forms: Texts<typeof en.forms> = {
  enter: "Geben Sie einen Wert ein.",
  choose: "Wählen Sie eine Antwort.",
  notNumber: "Geben Sie eine Zahl ein.",
  notWhole: "Geben Sie eine ganze Zahl ein.",
  tooLarge: "Geben Sie eine Zahl mit weniger Ziffern ein.",
  atLeast: (least) => `Geben Sie mindestens ${least} ein.`,
  atMost: (most) => `Geben Sie höchstens ${most} ein.`,
  tooShort: (least) => `Geben Sie mindestens ${letters(least)} ein.`,
  tooLong: (most) => `Geben Sie höchstens ${letters(most)} ein.`,
  fewChoices: (least) => `Wählen Sie mindestens ${least}.`,
  manyChoices: (most) => `Wählen Sie höchstens ${most}.`,
  mustBe: (what) => `Geben Sie ${what} ein.`,
  formats: {
    email: "eine E-Mail-Adresse",
    uri: "eine Adresse, etwa https://example.com",
    date: "ein Datum, etwa 2026-03-14",
    "date-time": "Datum und Uhrzeit, etwa 2026-03-14T09:30:00Z",
  },
  number: (isWhole, least, most) => {
    const kind = isWhole ? "eine ganze Zahl" : "eine Zahl";
    if (least !== undefined && most !== undefined) {
      return `${kind} von ${least} bis ${most}`;
    }
    return least !== undefined
      ? `${kind}, mindestens ${least}`
      : most !== undefined
        ? `${kind}, höchstens ${most}`
        : kind;
  },
  lengths: (least, most) =>
    least !== undefined && most !== undefined
      ? `${least} bis ${letters(most)}`
      : least !== undefined
        ? `mindestens ${letters(least)}`
        : `höchstens ${letters(most ?? 0)}`,
  choices: (least = 0, most) =>
    most === undefined
      ? `mindestens ${answers(least)}`
      : least === 0
        ? `höchstens ${answers(most)}`
        : least === most
          ? answers(most)
          : `${least} bis ${answers(most)}`,
  notOpened: "Die Adresse wurde nicht geöffnet; die Frage ist noch offen.",
  answered: "Diese Frage ist nicht mehr offen.",
  answer: "Antworten…",
  yes: "Ja",
  no: "Nein",
  asks: (name, title) => `${name} fragt: ${title}`,
};
