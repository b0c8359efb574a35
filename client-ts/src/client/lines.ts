import { StringDecoder } from "node:string_decoder";

/** The longest line, in characters; longer ones are split, so that memory stays bounded. */
const MAX_LINE = 16 * 1024;

/** Splits a byte stream into lines, however it is chunked. */
export class LineSplitter {
  readonly #decoder = new StringDecoder("utf8");
  readonly #onLine: (line: string) => void;
  #rest = "";

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  push(chunk: Buffer): void {
    const lines = (this.#rest + this.#decoder.write(chunk)).split(/\r?\n/);
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      this.#emit(line);
    }
    if (this.#rest.length > MAX_LINE) {
      this.#emit(this.#rest);
      this.#rest = "";
    }
  }

  /** Emit what follows the last line end. */
  end(): void {
    const rest = this.#rest + this.#decoder.end();
    this.#rest = "";
    if (rest !== "") {
      this.#emit(rest);
    }
  }

  #emit(line: string): void {
    for (let start = 0; start === 0 || start < line.length; start += MAX_LINE) {
      this.#onLine(line.slice(start, start + MAX_LINE));
    }
  }
}
