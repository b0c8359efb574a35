// The texts of the page in German.
import { plural } from "../../src/l10n/format.js";
import type { Texts } from "../../src/l10n/language.js";
import type * as en from "./en.js";

const tasks = (count: number): string => plural(count, "Aufgabe", "Aufgaben");
const lines = (count: number): string => plural(count, "Zeile", "Zeilen");

export const SERVICE: Texts<typeof en.SERVICE> = {
  idle: "Der Sidecar läuft nicht.",
  running: "",
  settingUp: "Der Sidecar wird eingerichtet…",
  starting: "Der Sidecar startet…",
  restarting: "Der Sidecar wird neu gestartet…",
  failed: "Subagenten konnten nicht gestartet werden.",
  untrusted: "Eingeschränkter Modus: Sie können Subagenten ansehen, aber nicht starten.",
};

export const STEPS: Texts<typeof en.STEPS> = {
  python: "Python suchen",
  environment: "Eine eigene Python-Umgebung erstellen",
  download: "Pakete herunterladen",
  install: "Pakete installieren",
};

export const ACTIONS: Texts<typeof en.ACTIONS> = {
  showLog: "Protokoll anzeigen",
  repair: "Neu installieren",
  restart: "Erneut versuchen",
  selectPython: "Python auswählen…",
  manageTrust: "Arbeitsbereichsvertrauen verwalten",
  openRunnerSettings: "Runner-Einstellungen öffnen",
  changeLimit: "Limit ändern",
  startNow: "Jetzt starten",
  openTranscript: "Transkript öffnen",
  cancelSetup: "Abbrechen",
  runExample: "Beispiel ausführen",
  createDefinition: "Neue Subagent-Definition…",
  signIn: "Anmelden…",
};

export const HOME: Texts<typeof en.HOME> = {
  label: "Subagenten",
  list: "Unterhaltungen",
  empty: "Noch keine Unterhaltungen",
  emptyHint:
    "Schreiben Sie unten ein Ziel, und starten Sie einen Subagenten. Er arbeitet im Hintergrund, und Sie können hier zusehen.",
  untrusted: "Subagenten des Arbeitsbereichs sind deaktiviert",
  untrustedHint: "Vertrauen Sie diesem Arbeitsbereich, um seine Subagent-Definitionen zu laden.",
  noDefinitions: "Noch keine Subagenten",
  goalWaits: "Fügen Sie einen Subagenten hinzu, um Ihr Ziel zu starten.",
  exampleHint:
    "Sehen Sie einen in Aktion. Es dauert zehn Sekunden, ohne Schlüssel, ohne Netzwerk und ohne Ihre Dateien.",
  installedHint: (count) =>
    count === 1
      ? "Dieser Agent ist installiert. Er fragt, bevor er handelt."
      : "Diese Agenten sind installiert. Jeder fragt, bevor er handelt.",
  use: (agent, isIncomplete) => `${agent} verwenden${isIncomplete ? "…" : ""}`,
  ownGoals:
    "Das Beispiel folgt nur seinem Skript. Für eigene Ziele verwenden Sie einen installierten Agenten:",
  noAgents:
    "Das Beispiel folgt nur seinem Skript. Für eigene Ziele installieren Sie einen Agenten, etwa Claude Code, Codex oder opencode.",
  definitionHint: "Für einen eigenen schreiben Sie eine Markdown-Datei, die sagt, was er tut.",
  problems: (count) => `${plural(count, "Problem", "Probleme")} in Definitionen`,
  open: (path) => `${path} öffnen`,
  shadowed: (name, by) => `„${name}“ wird von ${by} verdeckt`,
};

export const LIST: Texts<typeof en.LIST> = {
  label: "Agenten",
  groups: {
    needsYou: "Wartet auf Sie",
    running: "Läuft",
    queued: "Warteschlange",
    pinned: "Angeheftet",
    recent: "Zuletzt",
    today: "Heute",
    yesterday: "Gestern",
    week: "Diese Woche",
    older: "Älter",
  },
  sortedBy: {
    recent: "Verlauf",
    cost: "Verlauf nach Kosten",
    duration: "Verlauf nach Dauer",
    messages: "Verlauf nach Nachrichten",
    title: "Verlauf nach Titel",
  },
  count: (count, isPartial) => `${count.toLocaleString("de-DE")}${isPartial ? "+" : ""}`,
  groupLabel: (name, count, isPartial) =>
    `${name}, ${isPartial ? `${count.toLocaleString("de-DE")}+ Aufgaben` : tasks(count)}`,
  asks: (what) => `Fragt: ${what}`,
  from: (where) => `von ${where}`,
  continued: "fortgesetzt",
  untitled: "(ohne Titel)",
  answer: "Antworten",
  cancel: "Abbrechen",
  startNow: "Jetzt starten",
  review: "Änderungen ansehen",
  resume: "Fortsetzen",
  delete: "Löschen",
  pin: "Anheften",
  unpin: "Lösen",
  pinned: "angeheftet",
  tag: (name) => `#${name}`,
  actOn: (action, title) => `${action}: ${title}`,
  matching: (count, totals) => [tasks(count), totals].filter((part) => part !== "").join(" · "),
  clearFilter: "Filter löschen",
  due: (count, days) =>
    `${plural(count, "Sitzung wird", "Sitzungen werden")} innerhalb von ${plural(days, "Tag", "Tagen")} gelöscht`,
  dueHint:
    "Ihr Agent löscht alte Sitzungen. Aufbewahrte Kopien bleiben in dieser Liste und können durchsucht und exportiert werden.",
  keepCopies: "Kopien aufbewahren",
  hideToday: "Heute ausblenden",
  noMatch: "Keine Aufgabe passt.",
  none: "Hier ist noch nichts. Läufe und Aufgaben anderer Agenten erscheinen hier.",
  noneHere: "In diesem Arbeitsbereich ist noch nichts.",
  searchAll: "In allen Arbeitsbereichen suchen",
  showAll: (count) => `${tasks(count)} anderer Arbeitsbereiche anzeigen`,
};

export const COMPOSER: Texts<typeof en.COMPOSER> = {
  label: "Einen Subagenten starten",
  goal: "Ziel",
  placeholder: "Was soll der Subagent tun? @ nennt eine Datei.",
  placeholderCommands: "Was soll der Subagent tun? @ für Dateien, / für Befehle.",
  subagent: "Subagent",
  choose: "Subagenten auswählen, bearbeiten oder hinzufügen",
  unavailable: "nicht verfügbar",
  unavailableHint: (why) => `Nicht verfügbar: ${why}.`,
  launch: "Starten",
  launchSeveral: (count) => `${count} starten`,
  launching: "Startet…",
  launchHint: "Starten (Eingabe; Umschalt+Eingabe beginnt eine neue Zeile)",
  keys: "Eingabe startet, Umschalt+Eingabe beginnt eine neue Zeile.",
  onlyExample:
    "Das Beispiel folgt nur seinem Skript und kann nicht an Ihrem Ziel arbeiten. Verwenden Sie einen echten Agenten.",
  approval: (line) => `${line}: Wählen Sie „Genehmigen…“ in der Liste der Subagenten.`,
  starting: "Der Sidecar startet noch. Versuchen Sie es gleich noch einmal.",
  noSubagent: "Wählen Sie zuerst einen Subagenten.",
  notLaunched: (goal, why) => `${why}\nDieses Ziel wurde nicht gestartet: „${goal}“`,
  noGoal: "Schreiben Sie, was der Subagent tun soll.",
  noNext: "Schreiben Sie an das Ende des Ziels, wie es weitergeht.",
  queue: "In die Warteschlange",
  files: "Dateien",
  commands: "Befehle",
  add: "Einen weiteren Subagenten starten",
  others: "Weitere Subagenten mit diesem Ziel",
  attach: "Anhängen…",
  attachHint:
    "Dateien oder Bilder anhängen. Sie können ein Bild auch einfügen oder Dateien mit gedrückter Umschalttaste hierher ziehen.",
  attachments: "Angehängte Dateien",
  detach: (name) => `${name} entfernen`,
  tooLarge: (name) => `${name} ist größer als 10 MiB. Hängen Sie eine kleinere Fassung an.`,
  unreadable: "Das ist nicht lesbar. Hängen Sie Dateien an, keine Ordner.",
  leaveOut: (name) => `${name} nicht starten`,
  choices: "Startoptionen",
  choice: {
    model: { label: "Modell", byAgent: "Standardmodell" },
    mode: { label: "Modus", byAgent: "Standardmodus" },
    effort: { label: "Aufwand", byAgent: "Standardaufwand" },
    placement: { label: "Ort", byAgent: "Dieser Rechner" },
  },
  here: "Dieser Rechner",
  onFleet: "Cluster",
  onNode: (name) => `Knoten ${name}`,
  withLabel: (label) => `Cluster: ${label}`,
  freeSlots: (free, slots) =>
    `Cluster: ${free.toLocaleString("de-DE")} von ${plural(slots, "Platz", "Plätzen")} frei.`,
  fleetProblem: (why) => `Der Cluster ist nicht nutzbar: ${why}.`,
  byDefinition: (value) => `${value} (Standard)`,
  unasking: "Handelt ohne Rückfrage; braucht allowAll",
  notOffered: (value) => `${value} (nicht angeboten)`,
  together: (count, sharing) =>
    sharing < 2
      ? `Startet ${plural(count, "Subagenten", "Subagenten")}.`
      : `Startet ${plural(count, "Subagenten", "Subagenten")}${count === sharing ? "" : `, davon ${sharing}`} im selben Ordner. Wenn mehrere dieselbe Datei bearbeiten, kann einer die Änderungen eines anderen überschreiben.`,
};

export const CONVERSATION: Texts<typeof en.CONVERSATION> = {
  title: "Unterhaltung",
  back: "Zurück zu allen Unterhaltungen",
  goal: "Ziel",
  cancel: "Abbrechen",
  cancelling: "Wird abgebrochen…",
  continued: "Fortgesetzt aus",
  earlierRun: "einem früheren Lauf",
  sameSession: "(dieselbe Sitzung)",
  replayed: "(neue Sitzung mit dem bisherigen Verlauf)",
  earlier: "Frühere anzeigen",
  later: "Spätere anzeigen",
  loading: "Lädt…",
  latest: "Zum Neuesten",
  deleted: "Dieser Subagent wurde gelöscht.",
  deletedTask: "Diese Aufgabe wurde gelöscht.",
  asking: "Wartet auf Ihre Antwort",
  asks: (what) => `Wartet auf Ihre Antwort: ${what}`,
  working: "Arbeitet…",
  tool: (name) => `${name} läuft…`,
  silent: (time) => `seit ${time} keine Ausgabe`,
  queued: "Wartet",
  launchedFrom: (where) => `von ${where}`,
  queuedBehind: (running, limit) => `Wartet: ${running} von ${limit} laufen`,
  held: (why, time) => `Wartet: ${why}. Startet nach ${time}.`,
  heldBehind: (why) => `Wartet: ${why}. Ein anderer Subagent versucht es zuerst.`,
  heldByCluster: (why) => `Wartet: ${why}.`,
  thought: "Gedanke",
  you: "Sie: ",
};

export const ENDING: Texts<typeof en.ENDING> = {
  label: "Ende des Laufs",
  allLines: (count) => `Alle ${lines(count)}`,
  error: "Ganzer Fehler",
  result: "Ergebnis",
  files: "Betroffene Dateien",
  changes: (files) => `${plural(files, "Datei", "Dateien")} geändert`,
  viewAll: "Alle Änderungen ansehen",
  viewChange: (path) => `Änderungen von ${path} ansehen`,
  deletedFile: "gelöscht",
  moreFiles: (count) => `und ${plural(count, "weitere Datei", "weitere Dateien")}`,
  broughtBack: (ref) =>
    `Ihre Dateien sind unverändert. Um die Änderungen zu übernehmen, führen Sie im Repository \`git merge ${ref}\` aus.`,
  more: "Weitere Aktionen",
  continueWith: "Fortfahren mit…",
  stored: {
    active: "Diese Aufgabe ist unfertig.",
    completed: "Diese Aufgabe wurde abgeschlossen.",
    failed: "Diese Aufgabe ist fehlgeschlagen.",
    abandoned: "Diese Aufgabe wurde aufgegeben.",
    unknown: "Aus ihren Dateien geht nicht hervor, wie diese Aufgabe endete.",
  },
  outcomes: {
    waiting: "Diese Aufgabe wartet auf eine Antwort.",
    cancelled: "Diese Aufgabe wurde abgebrochen.",
    streaming: "Diese Aufgabe ist unfertig.",
    delegated: "Diese Aufgabe wartet auf eine, die sie gestartet hat.",
    interrupted: "Diese Aufgabe wurde unterbrochen.",
  },
  resume: "Fortsetzen…",
  again: "Erneut starten…",
  useAgent: "Mit echtem Agenten starten…",
  signIn: (agent) => `Melden Sie sich bei ${agent} an, und versuchen Sie es dann erneut.`,
  signInElsewhere: (agent) =>
    `Melden Sie sich mit dem Programm von ${agent} an, oder setzen Sie dessen Schlüssel in den Einstellungen, und versuchen Sie es dann erneut.`,
  retry: "Erneut versuchen",
  tokens: (count) => `${count} Token`,
  toolCalls: (count) => plural(count, "Werkzeugaufruf", "Werkzeugaufrufe"),
  context: (percent) => `Kontext zu ${percent} % voll`,
};

export const CONTINUATION: Texts<typeof en.CONTINUATION> = {
  goal: (goal) => `Fortsetzen: ${goal}`,
  origin: "Ein anderer Agent hat diese Aufgabe begonnen.",
  completed: "Ein anderer Agent hat diese Aufgabe abgeschlossen.",
  files: (names) =>
    `Er hat diese Dateien geändert:\n${names.map((name) => `- ${name}`).join("\n")}`,
  last: (text) => `Seine letzte Nachricht war:\n${text}`,
  next: "Prüfe zuerst den jetzigen Stand der Dateien, und erledige dann, was noch fehlt.",
  answer: "Prüfe zuerst den jetzigen Stand der Dateien. Die Antwort auf diese Nachricht ist: ",
  more: "Prüfe zuerst den jetzigen Stand der Dateien, und mache dann damit weiter: ",
};

export const OUTPUT: Texts<typeof en.OUTPUT> = {
  variables: (count) => plural(count, "Variable", "Variablen"),
  newestVariables: (count) => `Nur die neuesten ${String(count)} werden angezeigt.`,
  errors: "Fehlerausgabe",
  errorLines: (count) => `Fehlerausgabe, ${lines(count)}`,
  cut: "Nur das Ende wird angezeigt. Das Transkript enthält alles.",
};

export const MINIMAP: Texts<typeof en.MINIMAP> = {
  label: "Runden",
  kinds: { plain: "", user: "Ihre Nachricht", failure: "Fehler", question: "Frage" },
  turn: (number, all, kind, text) =>
    [`Runde ${number.toLocaleString("de-DE")} von ${all.toLocaleString("de-DE")}`, kind, text]
      .filter((part) => part !== "")
      .join(" · "),
};

export const FIND: Texts<typeof en.FIND> = {
  label: "In dieser Unterhaltung suchen",
  field: "Suchen",
  keys: "Die Eingabetaste führt zum nächsten Treffer, mit der Umschalttaste zum vorherigen, Escape schließt.",
  next: "Nächster Treffer (Eingabetaste)",
  previous: "Vorheriger Treffer (Umschalt+Eingabetaste)",
  close: "Schließen (Escape)",
  none: "Keine Treffer",
  searching: "Sucht…",
  count: (at, all, isPartial) =>
    `${at === undefined ? "?" : at.toLocaleString("de-DE")} von ${all.toLocaleString("de-DE")}${isPartial ? "+" : ""}`,
  around: (words) => `: ${words}`,
};

export const MESSAGE: Texts<typeof en.MESSAGE> = {
  send: "Senden",
  sendLabel: "Nachricht senden…",
  sendHint: "Kommt sofort an, wenn der Agent das kann, sonst nach der laufenden Runde.",
  resume: "Fortsetzen",
  resuming: "Wird fortgesetzt…",
  resumeLabel: "Was als Nächstes? (optional)",
  resumeHint: "Wird in einem neuen Lauf mit dieser Unterhaltung als Kontext fortgesetzt.",
  keys: (button) => `${button} (Eingabe; Umschalt+Eingabe beginnt eine neue Zeile)`,
  discard: "Verwerfen",
  sendAgain: "Erneut senden…",
  undelivered: "Noch nicht zugestellt",
  missed: "Nicht zugestellt: Der Lauf endete vorher.",
  sending: "Wird gesendet…",
  sent: (delivery) => `Gesendet. ${delivery}`,
};

export const PLAN: Texts<typeof en.PLAN> = {
  label: "Plan",
  summary: (done, all) => `Plan: ${done} von ${all} erledigt`,
  pending: "offen",
  current: "in Arbeit",
  done: "erledigt",
};

export const QUESTION: Texts<typeof en.QUESTION> = {
  folder: "in",
  title: "Der Agent sagt:",
  key: "Strg+K Y",
  macKey: "⌘K Y",
  keyHint: "Beantwortet eine Frage von überall",
  answer: (name) => `Der Agent nennt diese Antwort „${name}“`,
  byPolicy: (verdict) => `${verdict} durch die Berechtigungen dieses Subagenten`,
  byMemory: (verdict) => `${verdict} durch eine Berechtigung, die Sie gespeichert haben`,
  allowed: "Erlaubt",
  rejected: "Abgelehnt",
  dismissed: "Verworfen",
};

export const FORM: Texts<typeof en.FORM> = {
  send: "Antwort senden",
  open: "Im Browser öffnen",
  decline: "Ablehnen",
  declineHint: "Ohne Antwort fortfahren",
  addressHint:
    "Der Agent bittet Sie, diese Adresse zu öffnen. Öffnen Sie sie nur, wenn Sie ihr vertrauen.",
  optional: "(optional)",
  noChoice: "Keine Antwort",
  clear: "Leeren",
  yes: "Ja",
  no: "Nein",
  answered: "Beantwortet",
  opened: "Adresse geöffnet",
  declined: "Abgelehnt",
  dismissed: "Verworfen",
  withdrawn: "Der Agent hat seine Frage zurückgezogen",
};

export const TOOL: Texts<typeof en.TOOL> = {
  input: "Eingabe",
  output: "Ausgabe",
  running: "läuft",
  asking: "wartet",
  stopped: "wurde nicht fertig",
  done: "fertig",
  failed: "fehlgeschlagen",
  allowed: "erlaubt",
  rejected: "abgelehnt",
  line: (line) => `Zeile ${line}`,
  more: (count) => `und ${count} weitere`,
  error: "Fehler:",
  waited: (time) => `Wartete ${time} auf eine Antwort`,
};

export const DIFF: Texts<typeof en.DIFF> = {
  counts: (added, removed) => `${lines(added)} hinzugefügt, ${removed} entfernt`,
  open: "Diff öffnen",
  openOf: (path) => `Diff öffnen: ${path}`,
  lines: (path) => `Geänderte Zeilen von ${path}`,
  more: (count) => `${plural(count, "weitere Zeile", "weitere Zeilen")}: Öffnen Sie den Diff.`,
};

export const cutNote = (missing: number): string =>
  `… (${plural(missing, "weiteres Zeichen", "weitere Zeichen")})`;

export const MARKDOWN: Texts<typeof en.MARKDOWN> = {
  openFile: (path) => `${path} öffnen`,
  image: "Bild",
  copy: "Kopieren",
  copyLabel: "Code kopieren",
  apply: "Anwenden",
  applyLabel: "Code auf seine Datei anwenden, ohne sie zu speichern",
  insert: "Am Cursor einfügen",
  insertLabel: "Code am Cursor einfügen",
  open: "offen",
  done: "erledigt",
};
