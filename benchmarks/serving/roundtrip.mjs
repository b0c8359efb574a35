// Sequential small requests over vscode-jsonrpc, as the extension sends them.
//
//   node roundtrip.mjs METHOD WARMUP COUNT COMMAND ARG...   prints the seconds of each request as a JSON array
//
// The server is sent `initialize` first; what it answers does not matter.
import { spawn } from "node:child_process"
import { createRequire } from "node:module"

const require = createRequire(new URL("../../client-ts/package.json", import.meta.url))
const { createMessageConnection, StreamMessageReader, StreamMessageWriter } = require("vscode-jsonrpc/node")

const [method, warmUp, count, command, ...args] = process.argv.slice(2)
const server = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] })
const connection = createMessageConnection(
	new StreamMessageReader(server.stdout),
	new StreamMessageWriter(server.stdin),
)
connection.listen()
await connection.sendRequest("initialize", { protocolVersion: 1 })

const seconds = []
for (let sent = 0; sent < Number(warmUp) + Number(count); sent++) {
	const start = performance.now()
	await connection.sendRequest(method, {})
	seconds.push((performance.now() - start) / 1000)
}
console.log(JSON.stringify(seconds.slice(Number(warmUp))))
connection.dispose()
server.stdin.end()
