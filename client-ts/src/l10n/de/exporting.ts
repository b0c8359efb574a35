import type * as en from "../en/exporting.js";
import type { Texts } from "../language.js";

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
