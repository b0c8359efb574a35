import type * as en from "../en/queryHelp.js";
import type { Texts } from "../language.js";

export const queryHelp: Texts<typeof en.queryHelp> = {
  heading: "Abfragesprache",
  introduction: `Die Suche unterscheidet nicht zwischen Groß- und Kleinschreibung. Sie umfasst Titel, Modus und Ordner einer
Aufgabe sowie ihre ID, wenn mindestens deren erste sechs Zeichen eingegeben sind; alle Wörter müssen vorkommen.
**"Anführungszeichen"** suchen nach einer Wortfolge. *Aufgabenverlauf durchsuchen* durchsucht auch die Nachrichten.`,
  columns: ["Feld", "Findet"],
  fields: {
    status: "Aufgaben mit diesem Status oder einem Ergebnis wie `waiting`",
    outcome: "Aufgaben mit diesem Ergebnis, das genauer als der Status ist",
    title: "Text im Titel",
    id: "Anfang der ID",
    tag: "Aufgaben, denen Sie diesen Tag gegeben haben",
    mode: "den Modus der Aufgabe",
    workspace: "Text im Pfad des Arbeitsbereichs",
    root: "Text im Pfad des Speicherorts",
    model: "Text im Namen des Modells",
    parent: "Unteraufgaben und untergeordnete Sitzungen der Aufgabe, deren ID so beginnt",
    kept: "Kopien von Sitzungen, die ihr Produkt löscht",
    file: "Aufgaben, die mit dieser Datei gearbeitet haben; langsamer, weil Nachrichten gelesen werden",
    numbers: "Zahlen, mit `>` `>=` `<` `<=` `=`; Kosten in USD",
    estimate: "geschätzte Kosten in USD von Aufgaben ohne aufgezeichnete Kosten",
    dates: "Zeit der Erstellung oder der letzten Aktivität: ein Datum oder ein Alter",
    duration: "Zeit von der Erstellung bis zur letzten Aktivität",
    since: "die letzte Aktivität, als Alter oder Datum",
  },
  or: "oder",
  combining: `Begriffe nebeneinander müssen alle zutreffen. \`OR\` findet eine der beiden Seiten, \`NOT\` oder \`-\` schließt aus,
und Klammern gruppieren:`,
};
