import type * as en from "../en/history.js";
import { exact, plural } from "../format.js";
import type { Texts } from "../language.js";

const tasks = (count: number): string => plural(count, "Aufgabe", "Aufgaben");

export const history: Texts<typeof en.history> = {
  findToOpen: "Aufgabe zum Öffnen suchen",
  findToCopy: "Aufgabe suchen, deren ID kopiert wird",
  findToExport: "Aufgabe zum Exportieren suchen",
  findToArchive: "Aufgabe zum Archivieren suchen (Aufgaben dieser Erweiterung)",
  findToDelete: "Aufgabe zum Löschen suchen (Aufgaben dieser Erweiterung)",
  noOwn:
    "Diese Erweiterung hat noch keine gespeicherten Aufgaben. Die Aufgaben anderer Erweiterungen sind schreibgeschützt.",
  copied: (id) => `${id} kopiert`,
  search: "Aufgabenverlauf durchsuchen",
  searchPlaceholder: "Wörter, eine ID oder Felder wie status:failed cost>1 since:7d",
  useAsFilter: "Als Filter des Aufgabenverlaufs verwenden",
  help: "Hilfe zur Abfragesprache",
  filter: "Aufgabenverlauf filtern",
  filterPrompt:
    "Wörter oder Felder wie status:failed cost>1 since:7d. Leer lassen, um alle Aufgaben anzuzeigen.",
  filtered: (query) => `Filter „${query}“`,
  match: (count) => plural(count, "Aufgabe passt", "Aufgaben passen"),
  problem: (place, expected) => `Bei Zeichen ${place}: erwartet wird ${expected}`,
  messagesShown: (count) => `${plural(count, "Nachricht", "Nachrichten")} angezeigt`,
  messagesUnread: (count) => `die Nachrichten von ${tasks(count)} werden noch gelesen`,
  partlySearched: (count) =>
    `${tasks(count)} ${count === 1 ? "wurde" : "wurden"} nur teilweise durchsucht`,
  loadMore: "Weitere Aufgaben laden",
  shown: (shown) => `${shown} angezeigt`,
  running: "läuft",
  costOf: (cost, count) => `${cost} in ${tasks(count)}`,
  tokens: (count) => `${count} Token`,
  touchedTitle: (file) => `Aufgaben zu ${file}`,
  searchingMessages: "Die Nachrichten aller Aufgaben werden durchsucht…",
  newestFirst: (count) => `${tasks(count)}, neueste zuerst`,
  noneTouched: "Keine gespeicherte Aufgabe hat mit dieser Datei gearbeitet",
  widen: (path) => `Auch in anderen Ordnern nach ${path} suchen`,
  selectFile:
    "Öffnen Sie eine Datei auf dem Datenträger, oder wählen Sie eine im Explorer, um die Aufgaben dazu zu sehen.",
  foreign: "sie gehört einer anderen Erweiterung",
  isGone: "es gibt sie nicht mehr",
  isListed: "sie ist weder gelöscht noch archiviert",
  isRunning: "sie läuft; brechen Sie sie zuerst ab",
  moveToTrash: "In den Papierkorb",
  deleteOne: (task) => `Die Aufgabe ${task} löschen?`,
  deleteMany: (which) => `${which} löschen?`,
  trashOne: "Sie kommt in den Papierkorb. Dort können Sie sie wiederherstellen.",
  trashMany: "Sie kommen in den Papierkorb. Dort können Sie sie wiederherstellen.",
  deleted: (which) => `${which} gelöscht.`,
  archived: (which) => `${which} archiviert.`,
  notDeleted: (which) => `Nicht gelöscht: ${which}`,
  notArchived: (which) => `Nicht archiviert: ${which}`,
  undo: "Rückgängig",
  nothingRemoved: "Archiv und Papierkorb sind leer.",
  selectToRestore: "Wählen Sie eine Aufgabe zum Wiederherstellen",
  newestOf: (shown, all) => ` (die neuesten ${shown} von ${all})`,
  inTrash: (when) => `gelöscht ${when}`,
  inArchive: "archiviert",
  gone: "Diese Aufgabe ist nicht mehr im Verlauf.",
  severalMatch: "Mehrere Aufgaben passen. Wählen Sie eine in der Liste aus.",
  onlyRead: "Diese Aufgabe gehört einem anderen Programm und kann nur gelesen werden.",
  roles: {
    user: "Benutzer",
    assistant: "Assistent",
    system: "System",
    tool: "Werkzeug",
    unknown: "unbekannt",
  },
  kinds: {
    request: "Verbrauch",
    completion: "Ergebnis",
    command_output: "Ausgabe des Befehls",
    tool_result: "Ergebnis des Werkzeugs",
    "ask:completion_result": "abgeschlossen",
    "ask:api_req_failed": "Anfrage fehlgeschlagen",
  },
  noTranscript: (reason) => `Dieses Transkript kann nicht angezeigt werden: ${reason}`,
  noReport: (reason) => `Dieser Bericht kann nicht erstellt werden: ${reason}`,
  unknownReport: (name) => `Es gibt keinen Bericht namens ${name}.`,
  asSent: (name) => `${name} (wie an das Modell gesendet)`,
  tooLong: (left) => `… und ${exact(left)} weitere Nachrichten, zu lang für diese Anzeige.`,
};

export const list: Texts<typeof en.list> = {
  sortTitle: "Verlauf sortieren nach",
  current: "aktuell",
  sorts: {
    recent: "Neueste zuerst",
    cost: "Kosten",
    duration: "Dauer",
    messages: "Anzahl der Nachrichten",
    title: "Titel",
  },
};

export const marks: Texts<typeof en.marks> = {
  findToPin: "Aufgabe zum Anheften suchen",
  findToUnpin: "Aufgabe zum Lösen suchen",
  findToRename: "Aufgabe zum Umbenennen suchen",
  findToTag: "Aufgabe für Tags suchen",
  rename: "Aufgabe umbenennen",
  renamePrompt:
    "Nur diese Erweiterung zeigt den Namen. Leer lassen, um den ursprünglichen Titel zu verwenden.",
  tags: (which) => `Tags von ${which}`,
  tagsPrompt:
    "Wörter, durch Kommas getrennt, etwa release, zu-prüfen. Der Filter findet tag:release.",
  tagsInUse: (known) => `Wörter, durch Kommas getrennt. Schon verwendet: ${known}`,
};

export const discovery: Texts<typeof en.discovery> = {
  discovered:
    "Der Verlauf zeigt auch die Aufgaben, die andere Agenten wie Claude Code, Codex und opencode auf diesem Rechner speichern. " +
    "Deren Dateien werden nur gelesen. Ändern können Sie das mit der Einstellung subagentSidecar.history.autoDiscover.",
  turnOff: "Ausschalten",
};

export const deletions: Texts<typeof en.deletions> = {
  due: (count, days) =>
    `${plural(count, "Sitzung wird", "Sitzungen werden")} innerhalb von ${plural(days, "Tag", "Tagen")} gelöscht.`,
  kept:
    "Ab jetzt kopiert der Sidecar diese Sitzungen, bevor ihr Agent sie löscht. " +
    "Ändern können Sie das mit der Einstellung subagentSidecar.history.keep.",
  notCopied:
    "Der Sidecar konnte diese Sitzungen nicht kopieren, zum Beispiel weil die Kopien " +
    "history.keepMaxBytes erreicht haben. Den Grund nennt sein Protokoll.",
};
