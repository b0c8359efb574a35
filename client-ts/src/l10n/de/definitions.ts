import type * as en from "../en/definitions.js";
import type { Texts } from "../language.js";

export const definitions: Texts<typeof en.definitions> = {
  select: "Wählen Sie einen Subagenten",
  selectToEdit: "Wählen Sie eine Definition zum Bearbeiten",
  edit: "Definition bearbeiten",
  create: "Neue Subagent-Definition…",
  approve: "Genehmigen…",
  problems: "Probleme",
  unavailable: (reason) => `Nicht verfügbar: ${reason}`,
  hiddenBy: (other) => `Verdeckt von ${other}`,
  example: "Beispiel",
  exampleHint: "Folgt nur einem Skript, in einem eigenen Beispielprojekt.",
  levels: {
    settings: "aus Ihren Einstellungen",
    workspace: "aus diesem Arbeitsbereich",
    user: "Ihr eigener",
  },
  permissions: {
    ask: "fragt, bevor er handelt",
    allowReads: "liest, ohne zu fragen",
    allowEdits: "liest und ändert Dateien, ohne zu fragen",
    allowAll: "tut alles, ohne zu fragen",
    deny: "darf nichts, was eine Erlaubnis braucht",
  },
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

export const installed: Texts<typeof en.installed> = {
  none: "Kein Agent ist installiert, den Subagenten verwenden können. Installieren Sie einen, etwa Claude Code, Codex oder opencode.",
  prompt:
    "Wählen Sie einen installierten Agenten. Er wird einer Ihrer eigenen Subagenten und fragt, bevor er handelt.",
  description: (agent) => `Bearbeitet jedes Ziel mit ${agent}`,
  use: (agent, isIncomplete) => `${agent} verwenden${isIncomplete ? "…" : ""}`,
  agents: "installierte Agenten",
  lacks: (adapter) => `braucht seinen Adapter ${adapter}`,
  lacksAdapter: (agent, adapter) =>
    `${agent} ist installiert, aber Subagenten brauchen auch seinen Adapter ${adapter}.`,
  openTerminal: "Im Terminal installieren…",
  terminal: (adapter) => `${adapter} installieren`,
  runCommand: (agent) =>
    `Drücken Sie im Terminal die Eingabetaste, um den Adapter zu installieren. Versuchen Sie es danach noch einmal mit ${agent}.`,
  tryAgain: "Noch einmal versuchen",
};
