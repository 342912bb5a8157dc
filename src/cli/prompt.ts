import process from "node:process";
import { createInterface, type Interface } from "node:readline";
import { Writable } from "node:stream";
import { Failure } from "./failure.ts";

/** Asks questions on the terminal. Questions go to standard error, so that answers can be redirected. */
export class Prompter {
  readonly #lines: string[] = [];
  readonly #readline: Interface;
  #hidden = false;
  #closed = false;
  #waiting: ((line: string | null) => void) | null = null;

  constructor() {
    const echo = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        if (!this.#hidden) process.stderr.write(chunk);
        done();
      },
    });
    // Without a width the editor would not know where a long line wraps.
    Object.defineProperty(echo, "columns", { get: () => process.stderr.columns || 80 });
    this.#readline = createInterface({ input: process.stdin, output: echo, terminal: true, historySize: 0 });
    this.#readline.on("line", (line) => this.#deliver(line));
    this.#readline.on("SIGINT", () => this.close());
    this.#readline.on("close", () => {
      this.#closed = true;
      this.#waiting?.(null);
    });
  }

  #deliver(line: string): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    // Pasted lines come before the questions that they answer.
    if (waiting) waiting(line);
    else this.#lines.push(line);
  }

  /** One line of text. Ctrl-C and Ctrl-D end the program. */
  async line(question: string): Promise<string> {
    this.#readline.setPrompt(question);
    this.#readline.prompt();
    return this.#next();
  }

  /** One line that is not shown while it is typed. */
  async hidden(question: string): Promise<string> {
    process.stderr.write(question);
    this.#hidden = true;
    try {
      return await this.#next();
    } finally {
      this.#hidden = false;
      process.stderr.write("\n");
    }
  }

  async #next(): Promise<string> {
    const early = this.#lines.shift();
    if (early !== undefined) return early;
    const line = this.#closed
      ? null
      : await new Promise<string | null>((resolve) => {
          this.#waiting = resolve;
        });
    if (line === null) {
      process.stderr.write("\n");
      throw new Failure("interrupted", "Ended without doing anything.");
    }
    return line;
  }

  /** Yes or no; an empty answer is no. */
  async confirm(question: string): Promise<boolean> {
    for (;;) {
      const answer = (await this.line(`${question} [y/N] `)).trim().toLowerCase();
      if (answer === "y" || answer === "yes") return true;
      if (answer === "" || answer === "n" || answer === "no") return false;
    }
  }

  /** Stops reading while another program has the terminal. */
  async lend<T>(work: () => Promise<T>): Promise<T> {
    this.#readline.pause();
    process.stdin.setRawMode(false);
    try {
      return await work();
    } finally {
      process.stdin.setRawMode(true);
      this.#readline.resume();
    }
  }

  /** Gives the terminal back. */
  close(): void {
    this.#readline.close();
    process.stdin.pause();
  }
}
