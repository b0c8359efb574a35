// Start a sidecar, run a subagent and print its events. Needs the npm package vscode-jsonrpc.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";
import type { AsyncTask } from "../client-ts/src/protocol";

const [python = "python3", agents = "examples/agents"] = process.argv.slice(2);
const root = mkdtempSync(join(tmpdir(), "sidecar-"));
const server = spawn(python, ["-m", "sidecar", "serve", "--in-process"], { stdio: ["pipe", "pipe", "inherit"] });
const connection = createMessageConnection(
  new StreamMessageReader(server.stdout),
  new StreamMessageWriter(server.stdin),
);
connection.onNotification("asyncTasks/didOutput", ({ events }) => console.log(...events));
connection.listen();

await connection.sendRequest("initialize", {
  protocolVersion: 1,
  storageRoot: root,
  workspaceFolders: [process.cwd()],
  workspaceTrusted: true,
  settings: {
    runners: { greet: { type: "command", command: ["echo", "Hello,", "{prompt}"] } },
    agents: { directories: [join(process.cwd(), agents)] },
  },
});
const { task } = await connection.sendRequest<{ task: AsyncTask }>("asyncTasks/launch", {
  subagentName: "greeter",
  goalPrompt: "world",
});
await connection.sendRequest("asyncTasks/subscribe", { taskId: task.id, afterSeq: 0 });
const { tasks } = await connection.sendRequest<{ tasks: AsyncTask[] }>("asyncTasks/wait", { taskIds: [task.id] });
console.log(tasks[0]?.status, tasks[0]?.output?.final_message);
await connection.sendRequest("shutdown", {});
const exited = new Promise((resolve) => server.once("exit", resolve));
await connection.sendNotification("exit", {});
await exited;
rmSync(root, { recursive: true });
