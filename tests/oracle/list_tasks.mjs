// The implementation guide's list_tasks under Node: the reference that the `guide` rules are compared with.
//
//   node list_tasks.mjs json|text ROOT [FILTER]   lists ROOT/tasks, names in byte order
//   node list_tasks.mjs all ROOT FILTERS          the text and the JSON for each of a JSON array of filters
//   node list_tasks.mjs serve                     answers one JSON line {ui, api} (base64) a line with a task or null
//
// SIDECAR_NOW_MS fixes the clock. In JSON, dates are ms and an Invalid Date is null.
import * as fs from "node:fs/promises"
import * as path from "node:path"
import * as readline from "node:readline"

const clock = () => (process.env.SIDECAR_NOW_MS ? new Date(Number(process.env.SIDECAR_NOW_MS)) : new Date())

async function getTasks(root) {
	const tasksDir = path.join(root, "tasks")
	try {
		await fs.access(tasksDir)
	} catch {
		return []
	}
	const names = (await fs.readdir(tasksDir)).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
	const tasks = []
	for (const name of names) {
		if (!/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(name)) continue
		const dir = path.join(tasksDir, name)
		const [ui, api] = await Promise.all([
			read(path.join(dir, "ui_messages.json")),
			read(path.join(dir, "api_conversation_history.json")),
		])
		const task = extractTask(name, ui, api)
		if (task) tasks.push(task)
	}
	return tasks.sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
}

async function read(file) {
	try {
		return parse(await fs.readFile(file, "utf-8"))
	} catch {
		return null
	}
}

function parse(text) {
	try {
		return JSON.parse(text)
	} catch {
		return null
	}
}

function extractTask(id, ui, api) {
	try {
		if (!ui || !api) return null
		const createdAt = extractCreationDate(ui)
		const lastActivity = extractLastActivity(ui, api)
		const title = extractTitle(api)
		const mode = extractMode(api)
		const tokenUsage = calculateUsage(api)
		const messageCount = api.length || 0
		const status = determineStatus(ui, api)
		const duration = calculateDuration(createdAt, lastActivity, status)
		const workspaceDir = extractWorkspace(api)
		return { id, createdAt, lastActivity, status, title, mode, tokenUsage, messageCount, duration, workspaceDir }
	} catch {
		return null
	}
}

function extractCreationDate(ui) {
	if (ui.length > 0 && ui[0].ts) return new Date(ui[0].ts)
	return clock()
}

function extractLastActivity(ui, api) {
	const lastUI = ui.length > 0 ? ui[ui.length - 1].ts : 0
	const lastAPI = api.length > 0 ? api[api.length - 1].ts : 0
	const last = Math.max(lastUI, lastAPI)
	return last ? new Date(last) : clock()
}

function extractTitle(api) {
	const first = api.find((msg) => msg.role === "user")
	if (first && first.content) {
		const content = Array.isArray(first.content) ? first.content[0]?.text || "" : first.content
		const match = content.match(/<task>(.*?)<\/task>/s)
		if (match) return truncate(match[1].trim(), 100)
		return truncate(content.trim(), 100)
	}
	return "Untitled Task"
}

const textOf = (message) =>
	Array.isArray(message.content) ? message.content.map((c) => c.text).join(" ") : message.content

function extractMode(api) {
	for (let i = api.length - 1; i >= 0; i--) {
		const message = api[i]
		if (message.content) {
			const match = textOf(message).match(/<slug>(.*?)<\/slug>[\s\S]*?<name>(.*?)<\/name>/)
			if (match) return { current: match[1], name: match[2] }
		}
	}
	return {}
}

function calculateUsage(api) {
	let total = 0
	let cost = 0
	for (const message of api) {
		if (message.role === "user" && message.content) {
			const match = textOf(message).match(/"tokensIn":(\d+),"tokensOut":(\d+).*?"cost":([\d.]+)/)
			if (match) {
				total += parseInt(match[1]) + parseInt(match[2])
				cost += parseFloat(match[3])
			}
		}
	}
	return { total, cost: Math.round(cost * 100) / 100 }
}

function determineStatus(ui, api) {
	const hours = (clock().getTime() - extractLastActivity(ui, api).getTime()) / (1000 * 60 * 60)
	const all = [...ui, ...api]
		.map((msg) => JSON.stringify(msg))
		.join(" ")
		.toLowerCase()
	if (["attempt_completion", "task completed", "successfully completed"].some((word) => all.includes(word))) {
		return "completed"
	}
	if (["error", "failed", "exception"].some((word) => all.includes(word))) return "failed"
	if (hours < 24) return "active"
	return hours > 168 ? "abandoned" : "unknown"
}

function calculateDuration(createdAt, lastActivity, status) {
	return status === "completed" || status === "failed" ? lastActivity.getTime() - createdAt.getTime() : undefined
}

function extractWorkspace(api) {
	for (const message of api) {
		if (message.content) {
			const match = textOf(message).match(/Current Workspace Directory \(([^)]+)\)/)
			if (match) return match[1]
		}
	}
	return undefined
}

function truncate(text, max) {
	return text.length <= max ? text : text.substring(0, max - 3) + "..."
}

function select(tasks, filter) {
	if (!filter) return tasks
	const part = filter.toLowerCase()
	return tasks.filter(
		(task) =>
			task.id.toLowerCase().includes(part) ||
			task.title.toLowerCase().includes(part) ||
			task.mode.current?.toLowerCase().includes(part) ||
			task.mode.name?.toLowerCase().includes(part) ||
			task.status.toLowerCase().includes(part),
	)
}

function format(tasks, filter) {
	if (tasks.length === 0) return filter ? `No tasks found matching filter "${filter}"` : "No tasks found in storage"
	const counts = {}
	for (const task of tasks) counts[task.status] = (counts[task.status] || 0) + 1
	const summary = Object.entries(counts)
		.map(([status, count]) => `${count} ${status}`)
		.join(", ")
	let output = `Available Tasks:\n\nTotal: ${tasks.length} tasks (${summary})\n`
	if (filter) output += `Showing tasks matching filter "${filter}"\n`
	return output + "\n" + tasks.map(formatTask).join("")
}

function formatTask(task) {
	let output = `### Task: ${task.title} (${task.id})\n`
	output += `- **Created**: ${formatDate(task.createdAt)}\n`
	output += `- **Status**: ${task.status.charAt(0).toUpperCase() + task.status.slice(1)}\n`
	if (task.mode.name && task.mode.current) output += `- **Mode**: ${task.mode.name} (${task.mode.current})\n`
	else if (task.mode.current) output += `- **Mode**: ${task.mode.current}\n`
	if (task.duration) output += `- **Duration**: ${formatDuration(task.duration)}\n`
	output += `- **Messages**: ${task.messageCount} messages\n`
	if (task.tokenUsage.total > 0) {
		output += `- **Tokens**: ${task.tokenUsage.total.toLocaleString()} tokens`
		if (task.tokenUsage.cost > 0) output += ` ($${task.tokenUsage.cost.toFixed(2)})`
		output += "\n"
	}
	if (task.workspaceDir) output += `- **Workspace**: ${task.workspaceDir}\n`
	return output + "\n"
}

function formatDate(date) {
	const two = "2-digit"
	return date.toLocaleString("en-US", {
		year: "numeric", month: two, day: two, hour: two, minute: two, second: two,
	})
}

function formatDuration(milliseconds) {
	const seconds = Math.floor(milliseconds / 1000)
	const minutes = Math.floor(seconds / 60)
	const hours = Math.floor(minutes / 60)
	const days = Math.floor(hours / 24)
	const unit = (n, name) => `${n} ${name}${n > 1 ? "s" : ""}`
	if (days > 0) return unit(days, "day")
	if (hours > 0) return unit(hours, "hour")
	if (minutes > 0) return unit(minutes, "minute")
	return unit(seconds, "second")
}

const wire = (task) =>
	task && { ...task, createdAt: task.createdAt.getTime(), lastActivity: task.lastActivity.getTime() }

async function serve() {
	const text = (base64) => Buffer.from(base64, "base64").toString("utf-8")
	for await (const line of readline.createInterface({ input: process.stdin, crlfDelay: Infinity })) {
		const { ui, api } = JSON.parse(line)
		const task = extractTask("", parse(text(ui)), parse(text(api)))
		process.stdout.write(JSON.stringify([wire(task), task && formatTask(task)]) + "\n")
	}
}

const [command, root, filter] = process.argv.slice(2)
if (command === "serve") await serve()
else if (command === "all") {
	const tasks = await getTasks(root)
	const answer = (part) => [format(select(tasks, part), part), select(tasks, part).map(wire)]
	process.stdout.write(JSON.stringify(JSON.parse(filter).map(answer)))
} else {
	const tasks = select(await getTasks(root), filter)
	process.stdout.write(command === "text" ? format(tasks, filter) : JSON.stringify(tasks.map(wire)))
}
