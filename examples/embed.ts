// Start a sidecar, run a subagent and print its events. Needs the npm package vscode-jsonrpc.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";
import type { AsyncTask } from "../client-ts/src/protocol";

const [python = "python3", agents = "examples/agents"] = process.argv.slice(2);
const root = mkdtempSync(join(tmpdir(), "sidecar-"));
const server = spawn(python, ["-m", "sidecar", "serve", "--in-process"], { stdio: ["pipe", "pipe", "inherit"] });
const sidecar = createMessageConnection(new StreamMessageReader(server.stdout), new StreamMessageWriter(server.stdin));
sidecar.onNotification("asyncTasks/didOutput", ({ events }) => console.log(...events));
sidecar.listen();

const runners = { greet: { type: "command", command: ["echo", "Hello,", "{prompt}"] } };
await sidecar.sendRequest("initialize", {
  protocolVersion: 1,
  storageRoot: root,
  workspaceFolders: [process.cwd()],
  workspaceTrusted: true,
  settings: { runners, agents: { directories: [resolve(agents)] } },
});
const launch = { subagentName: "greeter", goalPrompt: "world" };
const { task } = await sidecar.sendRequest<{ task: AsyncTask }>("asyncTasks/launch", launch);
await sidecar.sendRequest("asyncTasks/subscribe", { taskId: task.id, afterSeq: 0 });
const { tasks } = await sidecar.sendRequest<{ tasks: AsyncTask[] }>("asyncTasks/wait", { taskIds: [task.id] });
console.log(tasks[0]?.status, tasks[0]?.output?.final_message);
await sidecar.sendRequest("shutdown", {});
await Promise.all([once(server, "exit"), sidecar.sendNotification("exit", {})]);
rmSync(root, { recursive: true });
