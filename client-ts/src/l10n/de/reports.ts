import type * as en from "../en/reports.js";
import { exact, plural } from "../format.js";
import type { Texts } from "../language.js";

const tasks = (count: number): string => plural(count, "Aufgabe", "Aufgaben");

export const doctor: Texts<typeof en.doctor> = {
  heading: "Diagnose des Aufgabenverlaufs",
  noProblems: "Keine Probleme gefunden.",
  problems: (count) => `${plural(count, "Problem", "Probleme")} gefunden. Nichts wurde geändert.`,
  checked: "Geprüfte Orte",
  suggestion: (remedy) => `Vorschlag: ${remedy}.`,
  tasks,
  emptyFolders: (count) => plural(count, "leerer Ordner", "leere Ordner"),
  alsoNamed: (names) => `auch unter ${names}, einmal gezählt`,
  folderMissing: "Ordner nicht gefunden",
  searched: (places, found) =>
    `Die Suche sah an ${plural(places, "üblichen Ort", "üblichen Orten")} nach und fand ${found === 0 ? "an keinem" : `an ${exact(found)}`} davon Aufgaben.`,
  notInHistory: "Nicht im Aufgabenverlauf:",
  advice:
    "Um sie aufzunehmen, fügen Sie ihre Ordner der Einstellung `subagentSidecar.foreignRoots` hinzu, oder " +
    "schalten Sie `subagentSidecar.history.autoDiscover` ein.",
  findings: {
    empty: "Leere Ordner",
    messagesGone: "Ordner ohne Nachrichten",
    duplicate: "Doppelte Aufgaben",
    missing: "Fehlende Nachrichtendateien",
    unreadable: "Nicht lesbare Dateien",
    notRegular: "Keine gewöhnlichen Dateien",
    tooLarge: "Zu große Dateien",
    recovered: "Nach unterbrochenem Speichern wiederhergestellt",
    badUtf8: "Ungültiges UTF-8",
    byteOrderMark: "Byte-Order-Mark",
    padding: "Mit Nullbytes aufgefüllt (Stromausfall)",
    wrapped: "Verpackte Nachrichten",
    cut: "Abgeschnittene Dateien",
    strayTail: "Überzählige Daten am Ende",
    malformed: "Fehlerhafte Nachrichten",
    notMessages: "Dateien ohne Nachrichten",
    internal: "Interne Fehler",
    orphan: "Aufgaben, die ihr Produkt nicht aufführt",
    indexOnly: "Aufgeführte Aufgaben ohne Ordner",
    locked: "Gesperrte Aufgaben",
    staleLock: "Verwaiste Sperren",
    leftover: "Reste eines unterbrochenen Speicherns",
    fragment: "Reste, die die einzige Kopie sein können",
    disagreement: "Listeneinträge, die den Nachrichten widersprechen",
    strangeName: "Ordner, die keine Aufgaben sind",
    unlistable: "Nicht lesbare Ordner",
    linkedFolder: "Verknüpfte Ordner, denen nicht gefolgt wird",
    dueDeletion: "Sitzungen, die ihr Produkt bald löscht",
    lostCopies: "Kopien von Sitzungen, die keine Liste nennt",
    missingCopies: "Fehlende Kopien gelöschter Sitzungen",
    damagedCopy: "Beschädigte Kopien gelöschter Sitzungen",
  },
};

export const fleet: Texts<typeof en.fleet> = {
  heading: "Status des Clusters",
  asking: "Der Cluster wird nach seinen Knoten gefragt…",
  unconfigured:
    "Es ist kein Cluster eingerichtet. Setzen Sie `fleet.gateway` in der Datei `config.toml` des Sidecars, und starten Sie ihn neu.",
  unusable: (problem) => `**Der Cluster ist nicht verwendbar:** ${problem}.`,
  nodes: "Knoten",
  withToken: (address) => `Cluster unter ${address}, mit Authentifizierung.`,
  withoutToken: (address) => `Cluster unter ${address}, **ohne** Authentifizierung.`,
  freeSlots: (free, slots) => `${exact(free)} von ${plural(slots, "Platz", "Plätzen")} frei.`,
  versions: (versions) => `Versionen: ${versions}.`,
  slotsOfNode: (free, slots) => `${exact(free)} von ${exact(slots)}`,
  nodeColumns: ["Knoten", "Belegt", "Freie Plätze", "Agenten", "Labels", "Adresse", "Version"],
  problems: "Probleme",
  runs: "Läufe",
  runColumns: ["Lauf", "Subagent", "Knoten", "Zustand", "Letzte Meldung"],
  otherRuns: (count) =>
    count === 1
      ? "1 weiterer Lauf gehört zu einem anderen Sidecar oder ist beendet."
      : `${exact(count)} weitere Läufe gehören zu anderen Sidecars oder sind beendet.`,
};

export const totals: Texts<typeof en.totals> = {
  heading: "Verbrauch insgesamt",
  allTasks: (count) => `Alle gespeicherten Aufgaben: ${exact(count)}.`,
  matching: (query, count) =>
    `Aufgaben aller Arbeitsbereiche, die zum Filter ${query} passen: ${exact(count)}.`,
  recorded: (withCost, withTokens) =>
    `Kosten sind für ${tasks(withCost)} aufgezeichnet, Token für ${tasks(withTokens)}.`,
  unknownMeans: "„–“ bedeutet: nicht aufgezeichnet.",
  estimated: (cost, count, prices) =>
    `Für ${tasks(count)} ohne aufgezeichnete Kosten geschätzt und unten nicht enthalten: ${cost} (${prices}).`,
  copies: (count) =>
    count === 1
      ? "1 Kopie dieser Aufgaben an anderen Speicherorten zählt nicht noch einmal."
      : `${exact(count)} Kopien dieser Aufgaben an anderen Speicherorten zählen nicht noch einmal.`,
  all: "Alle",
  unknown: "unbekannt",
  columns: [
    "Aufgaben",
    "Kosten",
    "Token ein",
    "Token aus",
    "Cache gelesen",
    "Cache geschrieben",
    "Größe",
  ],
  groups: {
    workspace: { heading: "Nach Arbeitsbereich", column: "Arbeitsbereich" },
    mode: { heading: "Nach Modus", column: "Modus" },
    product: { heading: "Nach Produkt", column: "Produkt" },
    model: { heading: "Nach Modell", column: "Modell" },
    day: { heading: "Nach Tag", column: "Tag" },
  },
  shareOfCost: "Anteil an den Kosten",
  shareOfTokens: "Anteil an den Token",
  costPerDay: "Kosten nach dem Tag der letzten Aktivität",
  tokensPerDay: "Token nach dem Tag der letzten Aktivität",
  /** Describe the chart of days to who cannot see it; `most` is the day with the most. */
  dayChart: (what, first, last, most) => `${what} vom ${first} bis ${last}, höchstens ${most}.`,
  scale: (what, most) => `${what}, höchstens ${most}`,
  notDrawn: (count) =>
    `${plural(count, "Tag fehlt", "Tage fehlen")} im Diagramm, das die neuesten 120 Tage zeigt und keine in der Zukunft.`,
  tokens: (count) => `${count} Token`,
  percent: (value) =>
    value < 1 ? "<1 %" : value > 99 && value < 100 ? ">99 %" : `${exact(Math.round(value))} %`,
  withSubtasks: "Aufgaben mit Unteraufgaben",
  parentColumns: [
    "Aufgabe",
    "Aufgaben insgesamt",
    "Kosten",
    "Kosten insgesamt",
    "Token",
    "Token insgesamt",
  ],
  disk: "Speicherplatz der Aufgaben dieser Erweiterung",
  diskColumns: [
    "Speicherort",
    "Aufgaben",
    "Nachrichten (in Aufgaben enthalten)",
    "Archiv",
    "Papierkorb",
  ],
  cut: (shown, all) => `${exact(shown)} von ${exact(all)} Zeilen werden gezeigt.`,
  cutTrees: (shown, all) =>
    `${exact(shown)} von ${exact(all)} Zeilen werden gezeigt. Filtern Sie den Aufgabenverlauf, um andere zu sehen.`,
  exportAll: "Alle Zeilen als CSV exportieren…",
};
