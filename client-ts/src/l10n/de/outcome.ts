import type * as en from "../en/outcome.js";
import type { Texts } from "../language.js";

export const outcome: Texts<typeof en.outcome> = {
  status: {
    queued: "Wartet",
    running: "Läuft",
    cancelling: "Wird abgebrochen",
    asking: "Wartet auf Sie",
    completed: "Abgeschlossen",
    failed: "Fehlgeschlagen",
    cancelled: "Abgebrochen",
  },
  end: {
    goal: "Abgeschlossen",
    error: "Fehlgeschlagen",
    timeout: "Zeit überschritten",
    inactivity: "Keine Antwort",
    startupTimeout: "Nicht gestartet",
    maxTurns: "Runden verbraucht",
    budget: "Budget überschritten",
    cancelledByUser: "Abgebrochen",
    cancelledByModel: "Vom Modell abgebrochen",
    hostExit: "Unterbrochen",
    lost: "Verloren",
  },
  endSentence: {
    goal: "Der Subagent hat seine Arbeit beendet.",
    error: "Der Subagent ist fehlgeschlagen.",
    timeout: "Der Subagent hat sein Zeitlimit erreicht.",
    inactivity: "Der Subagent antwortet nicht mehr.",
    startupTimeout: "Der Subagent ist nicht rechtzeitig gestartet.",
    maxTurns: "Der Subagent hat seine Höchstzahl an Runden erreicht.",
    budget: "Der Subagent hat sein Budget verbraucht.",
    cancelledByUser: "Sie haben diesen Subagenten abgebrochen.",
    cancelledByModel: "Das Modell hat diesen Subagenten abgebrochen.",
    hostExit:
      "Der Sidecar wurde während dieses Laufs gestoppt, oder kein Fenster kam rechtzeitig zurück.",
    lost: "Dieser Lauf ging verloren, als der Sidecar abstürzte.",
  },
  statusSentence: {
    queued: "Der Subagent wartet in der Warteschlange.",
    running: "Der Subagent arbeitet.",
    completed: "Der Subagent hat seine Arbeit beendet.",
    failed: "Der Subagent ist fehlgeschlagen.",
    cancelled: "Dieser Subagent wurde abgebrochen.",
  },
  nextInQueue: "Wartet (als Nächster)",
  inQueue: (place) => `Wartet (Nr. ${place})`,
  heldUntil: (why, time) => `${why} bis ${time}`,
  uncounted: (files) => `${files} nicht gezählt`,
  retrying: (attempt) => `Neuer Versuch (${attempt})`,
  starting: (count, names) =>
    `Startet: wartet vielleicht auf ${count === 1 ? "den MCP-Server" : "einen der MCP-Server"} ${names}`,
  mode: (name) => `Modus ${name}`,
  effort: (name) => `Aufwand ${name}`,
  serverMissing: (name) => `${name} funktioniert nicht`,
  notTaken: (name) => `${name} nicht übernommen`,
  serverFailed: (name, why) =>
    `Der MCP-Server ${name} funktioniert nicht, seine Werkzeuge fehlen${why === "" ? "." : `: ${why}`}`,
  modelNotTaken: (wanted, used) =>
    `Der Agent hat das Modell ${wanted} nicht übernommen, er verwendet ${used}.`,
  effortNotTaken: (wanted, used) =>
    `Der Agent hat den Aufwand ${wanted} nicht übernommen, er verwendet ${used}.`,
  onFleet: "im Cluster",
  onNode: (name) => `auf ${name}`,
  notHeard: (where, time) => `${where}, seit ${time} ohne Antwort`,
  lostOnFleet: "Dieser Lauf ging verloren: Sein Knoten war nicht mehr erreichbar.",
  raiseTurns: "Erhöhen Sie maxTurns in der Definition, um mehr Runden zu erlauben.",
  raiseBudget: "Erhöhen Sie das Budget in den Einstellungen.",
  resumeAdvice:
    "Die bisherige Ausgabe ist gespeichert. Setzen Sie den Lauf fort, um weiterzumachen.",
  failure: {
    auth: "nicht angemeldet",
    rateLimit: "Anfragelimit erreicht",
    clusterSlots: "kein freier Platz im Cluster",
    overloaded: "Modell überlastet",
    network: "Netzwerkfehler",
    contextLength: "Unterhaltung zu lang für das Modell",
    modelNotFound: "Modell nicht gefunden",
    other: "Modellfehler",
  },
};
