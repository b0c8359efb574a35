// Follow many runs at once over vscode-jsonrpc, as the extension does, and time small requests meanwhile.
//
//   node load.mjs SPECIFICATION   prints one JSON object; the specification is `Load` of load.py as JSON
//
// Linux only: the server's processor time is read from /proc.
import { spawn } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { setTimeout as sleep } from "node:timers/promises"

const require = createRequire(new URL("../../client-ts/package.json", import.meta.url))
const { createMessageConnection, StreamMessageReader, StreamMessageWriter } = require("vscode-jsonrpc/node")

const TICKS_PER_SECOND = 100
const PAUSE_MS = 20

const { busy, idle, opening, runs, go, seconds, method } = JSON.parse(process.argv[2])

async function start([command, ...args]) {
	const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] })
	const reader = new StreamMessageReader(child.stdout)
	const connection = createMessageConnection(reader, new StreamMessageWriter(child.stdin))
	connection.listen()
	await connection.sendRequest("initialize", opening)
	return { child, connection }
}

/** Seconds of processor time, threads included. */
function processorTime(pid) {
	const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ")
	return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

async function timed({ connection }) {
	const begin = performance.now()
	await connection.sendRequest(method, {})
	return (performance.now() - begin) / 1000
}

const server = await start(busy)
const quiet = await start(idle)

const received = new Map()
server.connection.onNotification("asyncTasks/didOutput", ({ taskId, events }) => {
	received.get(taskId).push(...events.map(({ seq, type, text, status }) => [seq, type, text, status]))
})
for (let run = 0; run < runs; run++) {
	const launch = { subagentName: "tick", goalPrompt: `tick ${run}` }
	const { task } = await server.connection.sendRequest("asyncTasks/launch", launch)
	received.set(task.id, [])
	await server.connection.sendRequest("asyncTasks/subscribe", { taskId: task.id, afterSeq: 0 })
}
await sleep(1000)

writeFileSync(go, "")
await sleep(500)
const began = performance.now()
const used = processorTime(server.child.pid)
const meanwhile = []
const atRest = []
while (performance.now() - began < seconds * 1000) {
	meanwhile.push(await timed(server))
	atRest.push(await timed(quiet))
	await sleep(PAUSE_MS)
}
const window = (performance.now() - began) / 1000
const share = (processorTime(server.child.pid) - used) / window

const taskIds = [...received.keys()]
const { tasks } = await server.connection.sendRequest("asyncTasks/wait", { taskIds })
const pages = new Map(taskIds.map((id) => [id, received.get(id)]))
for (const id of taskIds) {
	while (!pages.get(id).some(([, type, , status]) => type === "state" && status !== "running")) await sleep(PAUSE_MS)
}
console.log(
	JSON.stringify({
		share,
		meanwhile,
		atRest,
		statuses: tasks.map(({ status }) => status),
		events: [...pages.values()],
	}),
)
for (const { connection, child } of [server, quiet]) {
	connection.dispose()
	child.stdin.end()
}
