import { ResponseError } from "vscode-jsonrpc/node";
import { beforeEach, expect, test } from "vitest";

import { ErrorCode, type GetParams, type MessagesParams } from "../../../src/protocol.js";
import type { SubagentService } from "../../../src/service/service.js";
import { Transcripts } from "../../../src/views/transcript.js";
import { closeDocument, Disposable, shown, workspace } from "../../vscode.js";
import { storedTask } from "../tasks.js";

/** A sidecar whose roots /one and /two hold the same task; each message says whose it is. */
function transcripts(roots = ["/one", "/two"], refusal?: ResponseError<undefined>) {
  const asked: [string, GetParams | MessagesParams][] = [];
  const service = {
    onDidChangeTask: () => Disposable.from(),
    onDidChangeHistory: () => Disposable.from(),
    request: (method: string, params: GetParams | MessagesParams) => {
      asked.push([method, params]);
      const root = params.root ?? roots[0] ?? "";
      if (refusal !== undefined) {
        return Promise.reject(refusal);
      }
      if (!roots.includes(root)) {
        const reason = `root: ${root} is not a root of this server; name it at initialize`;
        return Promise.reject(new ResponseError(ErrorCode.InvalidParams, reason));
      }
      const text = `message of ${root}`;
      return Promise.resolve(
        method === "tasks/get"
          ? { task: storedTask("t1", { root }), provenance: {}, revision: 1 }
          : { messages: [{ index: 0, role: "user", kind: "text", text }], total: 1, revision: 1 },
      );
    },
  } as unknown as SubagentService;
  return { asked, opened: new Transcripts(service) };
}

beforeEach(() => {
  [...workspace.textDocuments].forEach(closeDocument);
  shown.documents = [];
});

test("the same task of two roots has two documents, each with the messages of its own", async () => {
  const { asked, opened } = transcripts();
  await opened.open({ id: "t1", root: "/two" });
  await opened.open({ id: "t1", root: "/one" });
  const [two, one] = shown.documents;
  expect(two?.uri.path).toBe(one?.uri.path);
  expect(two?.uri.toString()).not.toBe(one?.uri.toString());
  expect(two?.getText()).toContain("message of /two");
  expect(one?.getText()).toContain("message of /one");
  expect(new Set(asked.map(([, { root }]) => root))).toEqual(new Set(["/one", "/two"]));
});

test("a task asked for by its id alone gets the document of the root it was found in", async () => {
  const { asked, opened } = transcripts();
  await opened.open({ id: "t1" });
  await opened.open({ id: "t1", root: "/one" });
  const [found, named] = shown.documents;
  expect(asked[0]).toEqual(["tasks/get", { taskId: "t1" }]);
  expect(found?.uri.toString()).toBe(named?.uri.toString());
});

test("what was sent to the model is a document of its own, of the same root", async () => {
  const { asked, opened } = transcripts();
  await opened.open({ id: "t1", root: "/two" }, { kind: "api", index: 0 });
  expect(shown.documents[0]?.uri.path).toBe("/Mend the roof (as sent to the model).md");
  const [, params] = asked.at(-1) ?? [];
  expect(params).toMatchObject({ taskId: "t1", root: "/two", kind: "api" });
});

test("a document of a root that is not listed any more says that its task is gone", async () => {
  await transcripts().opened.open({ id: "t1", root: "/two" });
  const uri = shown.documents[0]?.uri;
  shown.documents.forEach(closeDocument);
  transcripts(["/one"]);
  const again = uri && (await workspace.openTextDocument(uri));
  expect(again?.getText()).toBe("This task is no longer in the history.\n");
});

test.each([
  [
    ErrorCode.TaskNotFound,
    "no task stored in /two has the ID or prefix 't1'. /two/a.db cannot be searched: it is damaged",
    "This task is no longer in the history. /two/a.db cannot be searched: it is damaged\n",
  ],
  [
    ErrorCode.AmbiguousTaskId,
    "2 tasks have an ID that starts with 't1'; use a longer prefix",
    "Can't show this transcript: More than one task matches. Choose one in the list.\n",
  ],
])("a document that cannot be read (%i) says why without the ID", async (code, message, text) => {
  await transcripts().opened.open({ id: "t1", root: "/two" });
  const uri = shown.documents[0]?.uri;
  shown.documents.forEach(closeDocument);
  transcripts(["/two"], new ResponseError(code, message));
  const again = uri && (await workspace.openTextDocument(uri));
  expect(again?.getText()).toBe(text);
});
