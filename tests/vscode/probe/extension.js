// Runs what a test sends over a socket, one program a line, with the editor's API as `vscode`; answers
// with a line of JSON each. It also is a language model, since the chat needs one.
"use strict";
const { createServer } = require("node:net");
const { createInterface } = require("node:readline");
const path = require("node:path");
const vscode = require("vscode");

const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor;
const MODEL = {
    id: "echo",
    name: "Probe",
    family: "probe",
    version: "1",
    maxInputTokens: 100_000,
    maxOutputTokens: 10_000,
    capabilities: { toolCalling: true },
};

const provider = {
    provideLanguageModelChatInformation: () => [MODEL],
    provideLanguageModelChatResponse: (_model, _messages, _options, progress) => {
        progress.report(new vscode.LanguageModelTextPart("Noted."));
        return Promise.resolve();
    },
    provideTokenCount: (_model, text) => Promise.resolve(String(text).length),
};

async function answer(line) {
    try {
        const { program, given } = JSON.parse(line);
        const value = await new AsyncFunction("vscode", "given", program)(vscode, given);
        return { value: value ?? null };
    } catch (error) {
        return { error: error instanceof Error ? error.message : String(error) };
    }
}

exports.activate = async (context) => {
    context.subscriptions.push(vscode.lm.registerLanguageModelChatProvider("probe", provider));
    await vscode.lm.selectChatModels({ vendor: "probe" }); // else the first message finds no model
    const server = createServer((socket) => {
        socket.on("error", () => undefined);
        createInterface(socket).on("line", async (line) => {
            socket.write(`${JSON.stringify(await answer(line))}\n`);
        });
    });
    server.listen(path.join(process.env.HOME, "probe"));
    context.subscriptions.push({ dispose: () => server.close() });
};
