import type * as en from "../en/runs.js";
import { plural } from "../format.js";
import type { Texts } from "../language.js";

const subagents = (count: number): string => plural(count, "Subagent", "Subagenten");

export const runs: Texts<typeof en.runs> = {
  selectToLaunch: "Wählen Sie einen Subagenten zum Starten",
  selectToCancel: "Wählen Sie einen Subagenten zum Abbrechen",
  selectToOpen: "Wählen Sie einen Subagenten zum Öffnen",
  open: "Unterhaltung öffnen",
  launched: "Der Subagent wurde gestartet.",
  loading: "Lädt…",
  noConversation: "Öffnen Sie zuerst eine Unterhaltung.",
  goToTime: "Zu Uhrzeit gehen",
  timeHint: "Eine Uhrzeit wie 14:05, oder Wörter einer Runde",
  noTime: "(ohne Uhrzeit)",
  noTurns: "Diese Unterhaltung hat noch keine Runden.",
  atTime: (time) => `Um ${time}`,
  selectToMessage: "Wählen Sie einen Subagenten für die Nachricht",
  selectToResume: "Wählen Sie einen Subagenten zum Fortsetzen",
  noneRunning: "Kein Subagent läuft.",
  noneQueued: "Kein Subagent ist in der Warteschlange.",
  selectToStart: "Wählen Sie einen wartenden Subagenten, der trotz des Limits startet",
  cancelTitle: "Wählen Sie die Subagenten, die abgebrochen werden",
  cancelOwn: (count) => `${subagents(count)} dieses Arbeitsbereichs abbrechen`,
  cancelEvery: (count) => `Alle ${subagents(count)} aller Fenster und Terminals abbrechen`,
  cancelled: (count) => `${subagents(count)} abgebrochen.`,
  noneListening: "Kein laufender Subagent nimmt Nachrichten an.",
  noneEnded: "Noch ist kein Subagent fertig.",
  launchTitle: (name) => `${name} starten`,
  exampleGoal: "Berichtige den Rabatt in den Summen des Beispielprojekts.",
  goal: "Was soll er tun?",
  noGoal: "Geben Sie ein Ziel ein.",
  messageTitle: (name) => `Nachricht an ${name} senden`,
  message: "Nachricht",
  noMessage: "Geben Sie eine Nachricht ein.",
  editMessage: "Nachricht bearbeiten…",
  resumeTitle: (name) => `${name} fortsetzen`,
  whatNext: "Was als Nächstes? (optional)",
  delivered: "Zugestellt.",
  notTaken: (reason) => `Der Agent hat die Nachricht nicht angenommen: ${reason}`,
  deleted: "Dieser Subagent wurde gelöscht.",
  endNotRecorded: (reason) =>
    `Der Subagent ist gestoppt, aber sein Ende kann noch nicht gespeichert werden: ${reason}`,
  changedMeanwhile: (status) => `Das ist nicht mehr möglich. Status des Subagenten: ${status}`,
  deliveredLater: "Der Agent erhält sie nach der laufenden Runde.",
  noFolder: "Subagenten arbeiten in einem Ordner. Öffnen Sie zuerst einen.",
  openFolder: "Ordner öffnen…",
  limitReached: (max) =>
    `Limit erreicht: ${max} ${max === 1 ? "Subagent kann" : "Subagenten können"} gleichzeitig laufen.`,
  someLimitReached: "Limit erreicht: Zu viele Subagenten laufen.",
  attachmentGone: (path) => `${path} gibt es nicht mehr. Entfernen Sie die Datei aus den Anhängen.`,
  noAttachments:
    "Dieser Subagent führt einen Befehl aus, der nur das Ziel bekommt. Entfernen Sie die Anhänge und nennen Sie ihre Pfade im Ziel.",
  noProgram: (name, program) =>
    `„${name}“ kann nicht gestartet werden: Das Programm ${program} wurde nicht gefunden.`,
  programMissing: (program) =>
    `das Programm ${program} wurde nicht gefunden; installieren Sie es, oder ändern Sie die Einstellung „Runners“`,
  unavailable: "er ist nicht verfügbar",
  addToQueue: "In die Warteschlange",
  changeLimit: "Limit ändern",
  openRunnerSettings: "Runner-Einstellungen öffnen",
  untrusted:
    "Subagenten führen Programme aus und können deshalb im eingeschränkten Modus nicht gestartet werden. Den " +
    "Aufgabenverlauf können Sie ansehen. Vertrauen Sie dem Arbeitsbereich, um Subagenten zu starten.",
  manageTrust: "Arbeitsbereichsvertrauen verwalten",
  missing: "Unterhaltung",
  noFile: (file) => `${file} gibt es nicht, oder es liegt nicht in diesem Arbeitsbereich.`,
  noCursor:
    "Keine Datei ist geöffnet, in die der Code eingefügt werden kann. Klicken Sie an die gewünschte Stelle und fügen Sie ihn dann noch einmal ein.",
  notInserted: (file) => `${file} kann nicht geändert werden. Kopieren Sie den Code stattdessen.`,
  changeTitle: (file) => `${file} (Änderung eines Subagenten)`,
  noneChanged: "Noch hat kein Subagent eine Datei geändert.",
  selectToReview: "Wählen Sie einen Subagenten, dessen Änderungen Sie sehen wollen",
  changesOf: (name, goal) => `Änderungen von ${name}: ${goal}`,
  noChanges: "Der Agent hat die geänderten Zeilen nicht gemeldet.",
  deletedFiles: (paths) => `${paths} gelöscht`,
  noChange: "Diese Änderung ist nicht in den Ereignissen des Laufs.",
  ended: (name, status, goal) => `${name}: ${status} · ${goal}`,
  systemNotices: "Subagenten",
  dontShowAgain: "Nicht mehr anzeigen",
  offerNotifier:
    "Die Benachrichtigungen dieses Remote-Fensters auch auf Ihrem Desktop anzeigen? Dafür wird eine kleine " +
    "Erweiterung auf Ihrem Computer installiert.",
  installNotifier: "Installieren",
  notNow: "Nicht jetzt",
  notifierInstalled:
    "Installiert. Solange das Fenster keinen Fokus hat, erscheinen seine Benachrichtigungen auch auf Ihrem Desktop.",
  several: (ended, asking) =>
    [
      ...(ended === 0 ? [] : [`${subagents(ended)} fertig`]),
      ...(asking === 0 ? [] : [`${asking} ${asking === 1 ? "wartet" : "warten"} auf Sie`]),
    ].join(" · "),
  badge: (ended, waiting) =>
    [
      ...(ended === 0 ? [] : [`${subagents(ended)} fertig`]),
      ...(waiting === 0 ? [] : [`${waiting} ${waiting === 1 ? "wartet" : "warten"} auf Sie`]),
    ].join(", "),
};

export const attaching: Texts<typeof en.attaching> = {
  title: "Dateien für den Agenten anhängen",
  label: "Anhängen",
  noFile: (name) => `${name} ist nicht lesbar. Hängen Sie Dateien an, keine Ordner.`,
  noSelection: "Öffnen Sie zuerst eine gespeicherte Datei, und wählen Sie darin Zeilen aus.",
};

export const comments: Texts<typeof en.comments> = {
  label: "Kommentare für den Subagenten",
  you: "Sie",
  prompt: "Kommentar für den Subagenten",
  placeHolder: "Was soll er hier ändern?",
  edited:
    "Ein Kommentar wird noch bearbeitet. Speichern oder verwerfen Sie ihn, und senden Sie dann die Kommentare.",
  none: "Keine Kommentare zum Senden. Öffnen Sie eine Änderung eines Subagenten und kommentieren Sie eine Zeile.",
  gone: "Der Lauf mit diesen Kommentaren wurde gelöscht. Die Kommentare stehen jetzt im Ziel des Eingabefelds, für einen anderen Subagenten.",
};

export const apply: Texts<typeof en.apply> = {
  untrusted:
    "Im eingeschränkten Modus lässt sich Code nicht anwenden. Vertrauen Sie zuerst dem Arbeitsbereich.",
  outside: (file) =>
    `${file} liegt nicht in diesem Arbeitsbereich. Öffnen Sie den Ordner, oder kopieren Sie den Code.`,
  refused: (files) =>
    `${files.join(", ")} lässt sich nicht ändern. Kopieren Sie stattdessen den Code.`,
  noText: (file) => `${file} lässt sich nicht als Text öffnen. Kopieren Sie stattdessen den Code.`,
  noDiff:
    "Dieser Diff lässt sich nicht anwenden. Er ist nicht lesbar, oder er benennt Dateien um, kopiert oder ersetzt sie als Ganzes. Kopieren Sie stattdessen den Code.",
  same: (file) => `${file} enthält diesen Code schon.`,
  noPlace: (file) =>
    `Der Code passt nicht in ${file}: Seine erste und letzte Zeile fehlen dort oder stehen mehrfach da.`,
  noPlaceForDiff: (file) =>
    `Der Diff passt nicht in ${file}: Die Zeilen, die er ändert, fehlen dort oder stehen mehrfach da.`,
  insert: "Am Cursor einfügen",
  deletes: (files) => `Der Diff löscht ${files.join(", ")}. Jetzt löschen?`,
  deletesAtOnce: "Gelöscht wird sofort, anders als bei Änderungen, die Sie selbst speichern.",
  deleteFile: "Löschen",
  changed: (file) => `${file} hat sich inzwischen geändert und wurde nicht gelöscht.`,
};
