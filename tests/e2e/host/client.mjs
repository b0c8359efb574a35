// A client that uses vscode-jsonrpc, as an editor does: client.mjs PACKAGE_JSON COMMAND [ARGUMENT]...
// Each line of standard input is a request or a notification to send; each line of standard output is an
// answer, a notification, or the exit code of COMMAND.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const [packageJson, command, ...rest] = process.argv.slice(2);
const rpc = createRequire(packageJson)("vscode-jsonrpc/node");

const sidecar = spawn(command, rest, { stdio: ["pipe", "pipe", "inherit"] });
const connection = rpc.createMessageConnection(
  new rpc.StreamMessageReader(sidecar.stdout),
  new rpc.StreamMessageWriter(sidecar.stdin),
);
connection.onNotification((method, params) => tell({ method, params }));
connection.listen();
sidecar.on("exit", (code) => tell({ exit: code }, () => process.exit()));
tell({ pid: sidecar.pid });

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) {
    await connection.sendNotification(method, params);
  } else {
    connection.sendRequest(method, params).then(
      (result) => tell({ id, result }),
      ({ code, message, data }) => tell({ id, error: { code, message, data } }),
    );
  }
}
sidecar.stdin.end();

function tell(message, done) {
  process.stdout.write(`${JSON.stringify(message)}\n`, done);
}
