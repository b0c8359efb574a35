import type * as en from "../en/sidecar.js";
import { plural } from "../format.js";
import type { Texts } from "../language.js";

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
    `Der Sidecar wurde unerwartet beendet: Er ${cause}. Neustart in ${seconds} s…`,
  gaveUp: (crashes, cause) =>
    `Der Sidecar ist ${crashes === 1 ? "einmal" : `${crashes} Mal`} abgestürzt und wird nicht neu gestartet. Zuletzt: Er ${cause}.`,
  inUseElsewhere:
    "Ein anderes Programm, das seine Subagenten nicht teilt, verwendet diesen Speicher. Bis es " +
    "endet, können Sie in diesem Fenster nur lesen.",
  viewOnly: (reason) => `Nur Ansicht: ${reason.replace(/\.?$/u, ".")}`,
  refused: (reason) => `Der Sidecar hat den Start verweigert: ${reason}`,
  wrongVersion: (theirs, ours) =>
    `Der Sidecar verwendet Protokollversion ${theirs}, die Erweiterung aber ${ours}. Aktualisieren Sie das Ältere.`,
  noProgram: (program, folder) =>
    `Der Sidecar kann nicht gestartet werden: „${program}“${folder === undefined ? "" : ` oder der Ordner „${folder}“`} ` +
    "wurde nicht gefunden. Installieren Sie Python 3.11 oder neuer, oder wählen Sie einen Interpreter.",
  noStart: (program, reason) =>
    `Der Sidecar kann mit „${program}“ nicht gestartet werden: ${reason}`,
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
  running: (count) => `${count} ${count === 1 ? "läuft" : "laufen"}`,
  queued: (count) => `${count} in der Warteschlange`,
  waiting: (count) => `${count} ${count === 1 ? "wartet" : "warten"} auf Sie`,
};

export const windows: Texts<typeof en.windows> = {
  statusName: "Subagenten: Fenster",
  shared: (count) => `${plural(count, "Fenster teilt", "Fenster teilen")} diese Subagenten.`,
  otherWindow: (folder) => `einem anderen Fenster (${folder})`,
  terminal: "einem Terminal",
  program: (name) => `dem Programm ${name}`,
  lastWindow: (minutes: number) =>
    "Subagenten laufen weiter, wenn Sie dieses Fenster schließen. Was soll mit ihnen geschehen, wenn Sie das letzte schließen? " +
    (minutes < 0
      ? "Wenn sie weiterlaufen, dann ohne Zeitlimit (host.surviveMinutes)."
      : `Wenn sie weiterlaufen, enden sie nach ${plural(minutes, "Minute", "Minuten")} (host.surviveMinutes).`),
  keepRunning: "Weiterlaufen lassen",
  stop: "Stoppen",
  dontAskAgain: "Nicht mehr fragen",
};

export const signIn: Texts<typeof en.signIn> = {
  select: "Wählen Sie den Agenten, bei dem Sie sich anmelden",
  selectWay: (runner) => `Wählen Sie, wie Sie sich bei ${runner} anmelden`,
  none: "Kein installierter Agent hat einen Anmeldebefehl.",
  noCommand: (runner) =>
    `Für ${runner} ist kein Anmeldebefehl bekannt. Melden Sie sich mit seinem eigenen Programm an, oder setzen Sie den Schlüssel in der Einstellung „Runners“.`,
  terminal: (runner) => `Bei ${runner} anmelden`,
};
