// A sidecar that behaves, or misbehaves, as its first argument (JSON) says.
import { writeSync } from "node:fs";
import {
  createMessageConnection,
  ResponseError,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-jsonrpc/node";

const script = JSON.parse(process.argv[2] ?? "{}");

if (script.stderr) {
  writeSync(2, script.stderr);
}
if (script.sayPid) {
  writeSync(2, `${process.pid}\n`);
}
if (script.crashAtStart) {
  process.exit(3);
}
if (script.ignoreTerm) {
  process.on("SIGTERM", () => undefined);
}
if (script.ignoreEnd) {
  setInterval(() => undefined, 1000);
}

const connection = createMessageConnection(
  new StreamMessageReader(process.stdin),
  new StreamMessageWriter(process.stdout),
);

connection.onRequest("initialize", (params) => {
  if (script.silent) {
    return new Promise(() => undefined);
  }
  if (script.refuse) {
    return new ResponseError(-32602, script.refuse);
  }
  return {
    protocolVersion: script.version ?? params.protocolVersion,
    serverInfo: { name: "scripted", version: "1" },
    storageRoot: JSON.stringify(params),
    methods: [],
    runners: [],
    instanceId: String(process.pid),
  };
});
connection.onRequest("health", () => process.exit(7));
connection.onRequest("tools/call", (params) => ({
  llmContent: JSON.stringify(params.arguments),
  returnDisplay: params.name,
}));
connection.onRequest("asyncTasks/get", (params) => {
  return new ResponseError(-32010, `no task ${params.taskId}`, { taskId: params.taskId });
});
connection.onRequest("asyncTasks/wait", (_params, token) => {
  void connection.sendNotification("log", { level: "info", message: "waiting" });
  return new Promise((_resolve, reject) => {
    token.onCancellationRequested(() => reject(new ResponseError(-32800, "cancelled")));
  });
});
connection.onRequest("reminders/status", async () => {
  const params = { message: "1 done", taskIds: ["a"], deliveryId: "d" };
  try {
    return { text: JSON.stringify(await connection.sendRequest("agent/triggerTurn", params)) };
  } catch (error) {
    return { text: `refused with ${error.code}` };
  }
});
connection.onRequest("tasks/refresh", async () => {
  await connection.sendNotification("log", { level: "warning", message: "careful" });
  await connection.sendNotification("$/progress", { token: "t", value: { done: 1 } });
  for (let revision = 1; revision <= 3; revision += 1) {
    const change = { revision, added: [], changed: [], removed: [] };
    await connection.sendNotification("tasks/didChange", change);
  }
  return { revision: 3 };
});
connection.onRequest("tools/list", () => {
  writeSync(1, "a stray print\r\n\r\n");
  return { tools: [] };
});
connection.onRequest("shutdown", () => null);
connection.onNotification("exit", () => {
  if (!script.ignoreEnd) {
    process.exit(0);
  }
});
connection.listen();
