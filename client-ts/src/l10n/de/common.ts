import type * as en from "../en/common.js";
import { exact, plural } from "../format.js";
import type { Texts } from "../language.js";

const tasks = (count: number): string => plural(count, "Aufgabe", "Aufgaben");

export const common: Texts<typeof en.common> = {
  untitled: "(ohne Titel)",
  show: "Anzeigen",
  quoted: (text) => `„${text}“`,
  tasks,
  shownOf: (shown, all) => `${exact(shown)} von ${all}`,
  andMore: (count) => `und ${exact(count)} weitere`,
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
  root: "Speicherort",
  status: "Status",
  subagent: "Subagent",
  tokens: "Token",
  toolCalls: "Werkzeugaufrufe",
};
