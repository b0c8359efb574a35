import type * as en from "../en/setup.js";
import type { Texts } from "../language.js";

export const SETUP: Texts<typeof en.SETUP> = {
  waiting: "Warten, bis ein anderes Fenster die Einrichtung beendet…",
  findingPython: "Python wird gesucht…",
  creating: "Eine eigene Python-Umgebung wird erstellt…",
  installing: "Pakete werden heruntergeladen…",
  downloading: (name, place, all) => `${name} wird heruntergeladen (${place} von ${all})…`,
  unpacking: "Pakete werden installiert…",
  cancelled: "Die Einrichtung wurde abgebrochen. Versuchen Sie es erneut, um fortzufahren.",
  noPython: (tooOld) =>
    `${tooOld.length === 0 ? "Es wurde kein Python" : `Es wurde nur ${tooOld.join(", ")}`} außerhalb des ` +
    "Arbeitsbereichs gefunden. Installieren Sie Python 3.11 oder neuer, oder wählen Sie einen Interpreter.",
  badPython: (setting, problem) =>
    `Die Einstellung subagentSidecar.pythonPath ist „${setting}“, aber ${problem}. Geben Sie Python 3.11 ` +
    "oder neuer an, oder leeren Sie sie, damit eines gesucht wird.",
  noSuchFile: "die Datei gibt es nicht",
  python: (version) => `Python ${version}`,
  timedOut: (seconds) => `Nach ${seconds} s abgebrochen.`,
  notPython: "es ist kein funktionierendes Python",
  tooOld: (version) => `es ist ${version}`,
  noBundle: (folder) =>
    `Die Erweiterung ist unvollständig: ${folder} enthält kein Sidecar-Paket. Installieren Sie die Erweiterung neu.`,
  diskFull: "Der Datenträger ist voll. Geben Sie etwa 60 MB frei, und versuchen Sie es erneut.",
  noPermission:
    "Eine Datei oder ein Ordner der eigenen Python-Umgebung kann nicht geschrieben werden. Schließen Sie " +
    "Programme, die sie verwenden, prüfen Sie die Rechte, und versuchen Sie es erneut.",
  noVenv:
    "Dieses Python hat kein Modul venv. Unter Debian und Ubuntu: sudo apt install python3-venv. Sonst " +
    "installieren Sie ein vollständiges Python, oder wählen Sie einen anderen Interpreter. Versuchen Sie es dann erneut.",
  hashMismatch: (name) =>
    `Das Paket ${name} weicht von dem ab, mit dem diese Erweiterung getestet wurde, und wurde nicht ` +
    "installiert. Prüfen Sie den Paketindex oder Spiegel von pip, und versuchen Sie es erneut.",
  certificate:
    "Dem Zertifikat des Paketindexes wird nicht vertraut. Ein Firmenproxy kann die Ursache sein. Setzen Sie " +
    "PIP_CERT auf dessen Zertifikate in der Umgebung, in der VS Code startet, und versuchen Sie es erneut.",
  proxy:
    "Der Proxy hat die Verbindung zum Paketindex abgelehnt. Prüfen Sie die Einstellung http.proxy oder die " +
    "Variable HTTPS_PROXY, und versuchen Sie es erneut.",
  offline:
    "Der Paketindex ist nicht erreichbar. Die Einrichtung braucht einmal eine Netzwerkverbindung. Prüfen " +
    "Sie die Verbindung und die Einstellung http.proxy, und versuchen Sie es erneut.",
  noPackage: (name) =>
    `Das Paket ${name} gibt es nicht für diese Python-Version und Plattform. Wählen Sie ein anderes Python ` +
    "(3.11 bis 3.14), und versuchen Sie es erneut.",
  noVersions:
    "Der Paketindex ist nicht erreichbar oder hat die benötigten Versionen nicht. Prüfen Sie die " +
    "Netzwerkverbindung und die Konfiguration von pip, und versuchen Sie es erneut.",
  damaged: (sign) =>
    `Die eigene Python-Umgebung ist beschädigt (${sign}). Wählen Sie „Neu installieren“, um sie neu zu erstellen.`,
  hostNotStopped: (reason) =>
    `Der Host kann nicht gestoppt werden: ${reason}. Schließen Sie die anderen Fenster, und versuchen Sie es erneut.`,
  venvFailed: (program) => `Mit ${program} kann keine eigene Python-Umgebung erstellt werden`,
  pipFailed: "Die Pakete des Sidecars können nicht installiert werden",
  diskFailed: "Die eigene Python-Umgebung kann nicht geschrieben werden",
  noReason: "es wurde kein Grund genannt",
  otherwise: (what, reason) => `${what}: ${reason}. Einzelheiten stehen im Protokoll.`,
};
