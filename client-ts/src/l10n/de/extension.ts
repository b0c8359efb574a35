import type * as en from "../en/extension.js";
import { plural } from "../format.js";
import type { Texts } from "../language.js";

const number = (value: number): string => value.toLocaleString("de-DE");
const tasks = (count: number): string => plural(count, "Aufgabe", "Aufgaben");
const subagents = (count: number): string => plural(count, "Subagent", "Subagenten");
const letters = (count: number): string => plural(count, "Zeichen", "Zeichen");

export const common: Texts<typeof en.common> = {
  untitled: "(ohne Titel)",
  show: "Anzeigen",
  quoted: (text) => `„${text}“`,
  tasks,
  shownOf: (shown, all) => `${number(shown)} von ${all}`,
  andMore: (count) => `und ${number(count)} weitere`,
};

export const sidecar: Texts<typeof en.sidecar> = {
  failed: "Subagenten konnten nicht gestartet werden.",
  stopped: "Der Sidecar wurde gestoppt.",
  stoppedEarly: "Der Sidecar wurde gestoppt, bevor er gestartet war.",
  restartDropped: "Der Sidecar wurde gestoppt und wird deshalb nicht neu gestartet.",
  restarting: "Der Sidecar wird neu gestartet…",
  exited: (code) => `endete mit Code ${code}`,
  killed: (signal) => `wurde durch ${signal} beendet`,
  closedOutput: "schloss seine Ausgabe",
  invalidMessage: (reason) => `schickte eine ungültige Nachricht: ${reason}`,
  noAnswer: (seconds) => `antwortete nicht innerhalb von ${seconds} s`,
  wasStopped: "wurde gestoppt",
  notRunning: "läuft nicht",
  unavailable: (method) => `${method}: der Sidecar läuft nicht`,
  connectionLost: (method) => `${method}: die Verbindung zum Sidecar ging verloren`,
  crashed: (cause, seconds) =>
    `Der Sidecar ist unerwartet beendet: er ${cause}. Neustart in ${seconds} s…`,
  gaveUp: (crashes, cause) =>
    `Der Sidecar ist ${crashes === 1 ? "einmal" : `${crashes} Mal`} abgestürzt und wird nicht neu gestartet. Zuletzt: er ${cause}.`,
  inUseElsewhere:
    "Ein anderes Programm, das seine Subagenten nicht teilt, verwendet diesen Speicher. Dieses Fenster zeigt nur " +
    "an, bis das Programm endet.",
  viewOnly: (reason) => `Nur Ansicht: ${reason.replace(/\.?$/u, ".")}`,
  refused: (reason) => `Der Sidecar wollte nicht starten: ${reason}`,
  wrongVersion: (theirs, ours) =>
    `Der Sidecar verwendet Protokollversion ${theirs}, die Erweiterung aber ${ours}. Aktualisieren Sie das Ältere.`,
  noProgram: (program, folder) =>
    `Der Sidecar kann nicht gestartet werden: "${program}"${folder === undefined ? "" : ` oder der Ordner "${folder}"`} ` +
    "wurde nicht gefunden. Installieren Sie Python 3.11 oder neuer, oder wählen Sie einen Interpreter.",
  noStart: (program, reason) =>
    `Der Sidecar kann mit "${program}" nicht gestartet werden: ${reason}`,
  restartToApply: "Starten Sie den Sidecar neu, um die geänderte Einstellung anzuwenden.",
  restart: "Sidecar neu starten",
  tryAgain: "Erneut versuchen",
  reinstall: "Neu installieren",
  selectPython: "Python auswählen…",
  showLog: "Protokoll anzeigen",
  fine: "Keine Probleme beim Start.",
  stillRunning: (count) =>
    count === 1 ? "Ein Subagent läuft noch." : `${count} Subagenten laufen noch.`,
  restartStops: "Ein Neustart des Sidecars stoppt laufende Subagenten.",
  stopAndRestart: "Stoppen und neu starten",
  reinstallStops: "Eine Neuinstallation des Sidecars stoppt laufende Subagenten.",
  stopAndReinstall: "Stoppen und neu installieren",
  diagnosticsTitle: "Diagnose von Subagent Sidecar",
  diagnosticsCopied: "Diagnose kopiert.",
  pythonTitle: "Python-Interpreter auswählen (3.11 oder neuer)",
  pythonLabel: "Dieses Python verwenden",
};

export const statusBar: Texts<typeof en.statusBar> = {
  name: "Subagenten",
  with: (text) => `Subagenten: ${text}`,
  settingUp: "Subagenten werden eingerichtet",
  starting: "startet",
  restricted: "Eingeschränkter Modus. Vertrauen Sie dem Arbeitsbereich, um zu starten.",
  running: (count) => `${count} laufen`,
  queued: (count) => `${count} in der Warteschlange`,
  waiting: (count) => `${count} ${count === 1 ? "braucht" : "brauchen"} Sie`,
};

export const discovery: Texts<typeof en.discovery> = {
  discovered:
    "Der Verlauf zeigt auch die Aufgaben, die andere Agenten wie Claude Code, Codex und opencode auf diesem Rechner speichern. " +
    "Deren Dateien werden nur gelesen. Die Einstellung subagentSidecar.history.autoDiscover entscheidet.",
  turnOff: "Ausschalten",
};

export const signIn: Texts<typeof en.signIn> = {
  select: "Wählen Sie den Agenten, bei dem Sie sich anmelden",
  selectWay: (runner) => `Wählen Sie, wie Sie sich bei ${runner} anmelden`,
  none: "Kein installierter Agent nennt einen Befehl zum Anmelden.",
  noCommand: (runner) =>
    `Kein Befehl ist bekannt, der bei ${runner} anmeldet. Melden Sie sich mit dem eigenen Programm an, oder setzen Sie den Schlüssel in der Einstellung "Runners".`,
  terminal: (runner) => `Bei ${runner} anmelden`,
};

export const deletions: Texts<typeof en.deletions> = {
  due: (count, days) =>
    `${plural(count, "Sitzung wird", "Sitzungen werden")} innerhalb von ${plural(days, "Tag", "Tagen")} gelöscht.`,
  kept:
    "Von diesen Sitzungen werden ab jetzt Kopien behalten, bevor ihr Agent sie löscht. " +
    "Die Einstellung subagentSidecar.history.keep entscheidet.",
};

export const windows: Texts<typeof en.windows> = {
  statusName: "Subagenten: Fenster",
  shared: (count) => `${plural(count, "Fenster teilt", "Fenster teilen")} diese Subagenten.`,
  otherWindow: (folder) => `einem anderen Fenster (${folder})`,
  terminal: "einem Terminal",
  program: (name) => `dem Programm ${name}`,
  lastWindow:
    "Subagenten laufen weiter, wenn Sie dieses Fenster schließen. Was soll mit ihnen geschehen, wenn Sie das letzte schließen?",
  keepRunning: "Weiterlaufen lassen",
  stop: "Stoppen",
  dontAskAgain: "Nicht mehr fragen",
};

export const runs: Texts<typeof en.runs> = {
  selectToLaunch: "Wählen Sie einen Subagenten zum Starten",
  selectToCancel: "Wählen Sie einen Subagenten zum Abbrechen",
  selectToOpen: "Wählen Sie einen Subagenten zum Öffnen",
  open: "Unterhaltung öffnen",
  conversation: "Unterhaltung",
  selectToMessage: "Wählen Sie einen Subagenten für die Nachricht",
  selectToResume: "Wählen Sie einen Subagenten zum Fortsetzen",
  noneRunning: "Kein Subagent läuft.",
  noneQueued: "Kein Subagent ist in der Warteschlange.",
  selectToStart: "Wählen Sie einen wartenden Subagenten, der über der Grenze startet",
  stopTitle: "Wählen Sie die Subagenten, die gestoppt werden",
  stopOwn: (count) => `${subagents(count)} dieses Arbeitsbereichs stoppen`,
  stopEvery: (count) => `Alle ${subagents(count)} aller Fenster und Terminals stoppen`,
  stopped: (count) => `${subagents(count)} gestoppt.`,
  noneListening: "Kein laufender Subagent nimmt Nachrichten an.",
  noneEnded: "Noch ist kein Subagent fertig.",
  launchTitle: (name) => `${name} starten`,
  exampleGoal: "Sieh dir diesen Ordner an und fasse zusammen, was er enthält.",
  goal: "Was soll er tun?",
  noGoal: "Geben Sie ein Ziel ein.",
  messageTitle: (name) => `Nachricht an ${name} senden`,
  message: "Nachricht",
  noMessage: "Geben Sie eine Nachricht ein.",
  editMessage: "Nachricht bearbeiten…",
  resumeTitle: (name) => `${name} fortsetzen`,
  whatNext: "Was als Nächstes? (optional)",
  delivered: "Zugestellt.",
  deliveredLater: "Der Agent erhält sie nach der laufenden Runde.",
  noFolder: "Subagenten arbeiten in einem Ordner. Öffnen Sie zuerst einen.",
  openFolder: "Ordner öffnen…",
  limitReached: (max) =>
    `Grenze erreicht: ${max} ${max === 1 ? "Subagent kann" : "Subagenten können"} gleichzeitig laufen.`,
  someLimitReached: "Grenze erreicht: zu viele Subagenten laufen.",
  noProgram: (name, program) =>
    `"${name}" kann nicht gestartet werden: das Programm ${program} wurde nicht gefunden.`,
  programMissing: (program) =>
    `das Programm ${program} wurde nicht gefunden; installieren Sie es, oder ändern Sie die Einstellung "Runners"`,
  unavailable: "er ist nicht verfügbar",
  addToQueue: "In die Warteschlange",
  changeLimit: "Grenze ändern",
  openRunnerSettings: "Runner-Einstellungen öffnen",
  untrusted:
    "Subagenten führen Programme aus und können deshalb im eingeschränkten Modus nicht gestartet werden. Den " +
    "Aufgabenverlauf können Sie ansehen. Vertrauen Sie dem Arbeitsbereich, um Subagenten zu starten.",
  manageTrust: "Arbeitsbereichsvertrauen verwalten",
  noFile: (file) => `${file} gibt es nicht, oder es liegt nicht in diesem Arbeitsbereich.`,
  changeTitle: (file) => `${file} (Änderung eines Subagenten)`,
  allChanges: "Änderungen eines Subagenten",
  noChanges: "Der Agent hat die geänderten Zeilen nicht gemeldet.",
  noChange: "Diese Änderung ist nicht in den Ereignissen des Laufs.",
  ended: (name, status, goal) => `${name}: ${status} · ${goal}`,
  dontShowAgain: "Nicht mehr anzeigen",
  several: (ended, asking) =>
    [
      ...(ended === 0 ? [] : [`${subagents(ended)} fertig`]),
      ...(asking === 0 ? [] : [`${asking} ${asking === 1 ? "braucht" : "brauchen"} Sie`]),
    ].join(" · "),
  badge: (ended, waiting) =>
    [
      ...(ended === 0 ? [] : [`${subagents(ended)} fertig`]),
      ...(waiting === 0 ? [] : [`${waiting} warten auf Sie`]),
    ].join(", "),
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

export const definitions: Texts<typeof en.definitions> = {
  select: "Wählen Sie einen Subagenten",
  selectToEdit: "Wählen Sie eine Definition zum Bearbeiten",
  edit: "Definition bearbeiten",
  create: "Neue Subagent-Definition…",
  approve: "Genehmigen…",
  problems: "Probleme",
  unavailable: (reason) => `Nicht verfügbar: ${reason}`,
  hiddenBy: (other) => `Verdeckt von ${other}`,
  permissions: (policy) => `Berechtigungen: ${policy}`,
  tools: (names) => `Werkzeuge: ${names.length === 0 ? "keine" : names.join(", ")}`,
  hidesOwn: "verdeckt Ihre eigene Definition",
  needsApproval: (policy) => `Seine Richtlinie ${policy} braucht Ihre Genehmigung`,
  noApproval: (name) => `Die Definition ${name} braucht keine Genehmigung.`,
  approveQuestion: (policy, name) => `Die Richtlinie ${policy} von ${name} genehmigen?`,
  file: (path) => `Datei: ${path}`,
  hides: (other) => `Verdeckt: ${other}`,
  approveAdvice: "Lesen Sie zuerst die Datei. Ihre Genehmigung gilt, bis die Datei sich ändert.",
  approveButton: "Genehmigen",
  approved: (name) => `Richtlinie von ${name} genehmigt.`,
  gone: (file) => `${file} ist keine Subagent-Definition mehr.`,
  none: "Keine Subagent-Definition gefunden. Erstellen Sie eine: eine Markdown-Datei, die einen Subagenten beschreibt.",
  runExample: "Beispiel ausführen",
  step: (step, name) =>
    `Neue Subagent-Definition (${step} von 4)${name === undefined ? "" : `: ${name}`}`,
  namePrompt: "Name des Subagenten, etwa reviewer",
  badName:
    "Verwenden Sie 1 bis 64 Buchstaben, Ziffern, „-“, „_“ oder „.“, mit einem Buchstaben oder einer Ziffer am Anfang.",
  nameTaken: (name) => `Einen Subagenten namens „${name}“ gibt es bereits.`,
  descriptionPrompt:
    "Beschreibung in einem Satz; Listen zeigen sie, und das Modell wählt danach aus",
  noDescription: "Geben Sie eine Beschreibung ein.",
  folderPrompt: "Wo die Definition gespeichert wird",
  workspace: "Arbeitsbereich",
  user: "Benutzer",
  allWorkspaces: "alle Arbeitsbereiche",
  runnerPrompt: "Wählen Sie den Runner, der den Subagenten ausführt",
  autoRunner: (found) =>
    `der erste bekannte Agent, der installiert ist (${found === undefined ? "derzeit keiner" : `derzeit ${found}`})`,
  fileExists: (file) =>
    `${file} gibt es bereits. Bearbeiten Sie es, oder wählen Sie einen anderen Namen.`,
};

export const forms: Texts<typeof en.forms> = {
  enter: "Geben Sie einen Wert ein.",
  choose: "Wählen Sie eine Antwort.",
  notNumber: "Geben Sie eine Zahl ein.",
  notWhole: "Geben Sie eine ganze Zahl ein.",
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
  notOpened: "Die Adresse wurde nicht geöffnet; die Frage ist noch offen.",
  answer: "Antworten…",
  yes: "Ja",
  no: "Nein",
  asks: (name, title) => `${name} fragt: ${title}`,
};

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

export const history: Texts<typeof en.history> = {
  findToOpen: "Aufgabe zum Öffnen suchen",
  findToCopy: "Aufgabe suchen, deren ID kopiert wird",
  findToExport: "Aufgabe zum Exportieren suchen",
  findToArchive: "Aufgabe zum Archivieren suchen (Aufgaben dieser Erweiterung)",
  findToDelete: "Aufgabe zum Löschen suchen (Aufgaben dieser Erweiterung)",
  noOwn:
    "Diese Erweiterung hat noch keine gespeicherten Aufgaben. Die anderer Erweiterungen sind schreibgeschützt.",
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
  loadMore: "Weitere Aufgaben laden",
  shown: (shown) => `${shown} angezeigt`,
  running: "läuft",
  openTranscript: "Transkript öffnen",
  costOf: (cost, count) => `${cost} in ${tasks(count)}`,
  tokens: (count) => `${count} Token`,
  touchedTitle: (file) => `Aufgaben, die ${file} angefasst haben`,
  searchingMessages: "Die Nachrichten aller Aufgaben werden durchsucht…",
  newestFirst: (count) => `${tasks(count)}, neueste zuerst`,
  noneTouched: "Keine gespeicherte Aufgabe hat diese Datei angefasst",
  widen: (path) => `Auch in anderen Ordnern nach ${path} suchen`,
  selectFile:
    "Öffnen Sie eine Datei auf dem Datenträger, oder wählen Sie eine im Explorer, um die Aufgaben zu sehen, die sie angefasst haben.",
  foreign: "sie gehört einer anderen Erweiterung",
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
  tooLong: (left) => `… und ${number(left)} weitere Nachrichten, zu lang für diese Anzeige.`,
};

export const exporting: Texts<typeof en.exporting> = {
  title: (which) => `${which} exportieren`,
  saveTitle: "Aufgabe exportieren",
  folderTitle: "Aufgaben in einen Ordner exportieren",
  here: "Hierhin exportieren",
  markdown: "Markdown",
  readable: "Zum Lesen",
  processable: "Zur Verarbeitung durch Programme",
  redacted:
    "Ersetzt mutmaßliche Schlüssel, Passwörter, Home-Ordner und Benutzernamen. Prüfen Sie das Ergebnis, bevor Sie es weitergeben",
  redactedName: (format) => `${format}, geschwärzt`,
  busy: (which) => `${which} werden exportiert`,
  nothing: (reasons) => `Nichts wurde exportiert. ${reasons}`,
  done: (which, place) => `${which} nach ${place} exportiert.`,
  failed: (reasons) => `Nicht exportiert: ${reasons}`,
  open: "Öffnen",
  totalsTitle: "Verbrauch exportieren",
  totalsDone: (place) => `Verbrauch nach ${place} exportiert.`,
  nothingRedacted: "Beim Schwärzen wurde nichts zu Ersetzendes gefunden.",
  replaced: (kinds) => `Ersetzt: ${kinds}.`,
};

export const facts: Texts<typeof en.facts> = {
  asks: "Fragt",
  changes: "Änderungen",
  cost: "Kosten",
  created: "Erstellt",
  duration: "Dauer",
  ended: "Beendet",
  error: "Fehler",
  folder: "Ordner",
  id: "ID",
  lastActivity: "Letzte Aktivität",
  launched: "Gestartet",
  launchedFrom: "Gestartet von",
  messages: "Nachrichten",
  mode: "Modus",
  model: "Modell",
  problems: "Probleme",
  product: "Produkt",
  root: "Wurzel",
  status: "Status",
  subagent: "Subagent",
  tokens: "Token",
  toolCalls: "Werkzeugaufrufe",
};
