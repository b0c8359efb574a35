import { afterEach, expect, test, vi } from "vitest";

import { Cursor } from "../../../src/panel/cursor.js";
import { editorChanges, Uri, window } from "../../vscode.js";

/** An editor as the extension sees it, with the texts that replaced its selections. */
class Editor {
  readonly replaced: string[] = [];
  readonly viewColumn = 2;
  readonly document: { readonly uri: Uri; isClosed: boolean };
  selections = ["here", "there"];
  canChange = true;

  constructor(uri: Uri) {
    this.document = { uri, isClosed: false };
  }

  edit(change: (edit: { replace(place: string, text: string): void }) => void): Promise<boolean> {
    change({ replace: (place, text) => this.replaced.push(`${place}: ${text}`) });
    return Promise.resolve(this.canChange);
  }
}

const cursors: Cursor[] = [];

/** A cursor in a window with these editors in view. */
function cursor(...editors: Editor[]): Cursor {
  vi.spyOn(window, "showTextDocument").mockImplementation((document) => {
    const shown = editors.find((editor) => editor.document === (document as unknown));
    return Promise.resolve(shown as never);
  });
  window.visibleTextEditors = editors;
  const made = new Cursor();
  cursors.push(made);
  return made;
}

afterEach(() => {
  window.visibleTextEditors = [];
  window.activeTextEditor = undefined;
  cursors.splice(0).forEach((each) => {
    each.dispose();
  });
});

function activate(editor: Editor | undefined): void {
  editorChanges.fire(editor);
}

test("text goes to every selection of the editor that was active last", async () => {
  const [first, last] = [new Editor(Uri.file("/a")), new Editor(Uri.file("/b"))];
  const made = cursor(first, last);
  activate(first);
  activate(last);
  activate(undefined);
  await made.insert("let a;\n\nb();\n");
  expect(last.replaced).toEqual(["here: let a;\n\nb();", "there: let a;\n\nb();"]);
  expect(first.replaced).toEqual([]);
});

test("logs and transcripts are not written to", async () => {
  const [file, log] = [new Editor(Uri.file("/a")), new Editor(Uri.parse("output:/log"))];
  const made = cursor(file, log);
  activate(file);
  activate(log);
  await made.insert("x");
  expect(file.replaced).toHaveLength(2);
});

test("after a reload, the only editor in view is meant", async () => {
  const untitled = new Editor(Uri.parse("untitled:/a"));
  await cursor(untitled).insert("x");
  expect(untitled.replaced).toHaveLength(2);
});

test.each([
  ["no editor", []],
  ["several editors, of which none was active", [Uri.file("/a"), Uri.file("/b")]],
  ["only a log", [Uri.parse("output:/log")]],
])("with %s, the message says what to do", async (_, uris) => {
  const made = cursor(...uris.map((uri) => new Editor(uri)));
  await expect(made.insert("x")).rejects.toThrow("Click where it should go");
});

test("a closed file is not opened again", async () => {
  const editor = new Editor(Uri.file("/a"));
  const made = cursor();
  activate(editor);
  editor.document.isClosed = true;
  await expect(made.insert("x")).rejects.toThrow("No file is open");
});

test("a file that cannot be changed is named", async () => {
  const editor = new Editor(Uri.file("/a"));
  editor.canChange = false;
  const made = cursor(editor);
  activate(editor);
  await expect(made.insert("x")).rejects.toThrow("/a can't be changed. Copy the code instead.");
});
