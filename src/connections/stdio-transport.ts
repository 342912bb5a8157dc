import { spawn, type ChildProcess } from "node:child_process";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { AppError } from "../kernel/errors.ts";
import type { ConnectionCommand } from "../model/connections.ts";
import type { MessageGuard } from "./mcp-guard.ts";
import { withoutSecrets } from "./secrets.ts";

/** The longest message that is read from a program. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
const END_MS = 2_000;
const LAST_WORDS_MS = 250;
const BRACE = 0x7b;
/** How much of the end of its error output is kept. */
const MAX_ERROR_CHARS = 2_000;

/** What a program is started with. */
interface ProgramStart {
  /** With its secrets in their places. */
  readonly command: Pick<ConnectionCommand, "command" | "args" | "env">;
  readonly environment: Readonly<Record<string, string>>;
  /** What it was given as secrets, in every form. */
  readonly secrets: ReadonlySet<string>;
  /** Its own: home and working folder. */
  readonly folder: string;
}

/**
 * A program that speaks MCP over its standard input and output: started without a shell, in an environment of its own
 * and as a process group, so that what it starts ends with it. The end of its error output is kept for explanations.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Called before a message is written. */
  onsend?: () => void;
  readonly #start: ProgramStart;
  readonly #parse: (line: string) => JSONRPCMessage;
  readonly #guard: MessageGuard;
  #child: ChildProcess | null = null;
  #errors = "";

  constructor(start: ProgramStart, parse: (line: string) => JSONRPCMessage, guard: MessageGuard) {
    this.#guard = guard;
    this.#start = start;
    this.#parse = parse;
  }

  start(): Promise<void> {
    return new Promise((done, fail) => {
      const { folder, environment } = this.#start;
      const { command, args, env } = this.#start.command;
      const child = spawn(command, [...args], {
        shell: false,
        detached: process.platform !== "win32",
        stdio: ["pipe", "pipe", "pipe"],
        cwd: folder,
        env: { ...environment, HOME: folder, ...env },
        windowsHide: true,
      });
      this.#child = child;
      child.once("spawn", () => done());
      child.once("error", (cause) => {
        fail(
          new AppError("unavailable", `The program ${command.slice(0, 100)} could not be started.`, {
            cause,
          }),
        );
        this.onclose?.();
      });
      child.once("exit", () => {
        this.#child = null;
        // What it wrote last is still read; a process that it left behind may hold the pipes open.
        const close = (): void => {
          clearTimeout(timer);
          this.onclose?.();
        };
        const timer = setTimeout(() => child.off("close", close) && close(), LAST_WORDS_MS);
        child.once("close", close);
      });
      child.stdin?.on("error", (error) => this.onerror?.(error));
      child.stderr?.setEncoding("utf8").on("data", (text: string) => {
        this.#errors = (this.#errors + text).slice(-MAX_ERROR_CHARS);
      });
      if (child.stdout !== null) void this.#read(child.stdout);
    });
  }

  /** The end of what the program wrote to its error output, without the values of its environment. */
  get errorOutput(): string {
    return withoutSecrets(
      this.#errors,
      new Set([...Object.values(this.#start.command.env), ...this.#start.secrets]),
    ).trim();
  }

  async #read(output: AsyncIterable<Buffer>): Promise<void> {
    let pending: Buffer[] = [];
    let size = 0;
    try {
      for await (const chunk of output) {
        let rest = chunk;
        for (let end = rest.indexOf(0x0a); end !== -1; end = rest.indexOf(0x0a)) {
          await this.#deliver(Buffer.concat([...pending, rest.subarray(0, end)]));
          pending = [];
          size = 0;
          rest = rest.subarray(end + 1);
        }
        size += rest.length;
        if (size > MAX_LINE_BYTES) {
          throw new AppError(
            "too_large",
            `The program wrote more than ${MAX_LINE_BYTES} bytes in one message.`,
          );
        }
        if (rest.length > 0) pending.push(rest);
      }
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error("the output cannot be read"));
      await this.close();
    }
  }

  async #deliver(line: Buffer): Promise<void> {
    // Programs print other things too; only messages of the protocol count.
    if (line[0] !== BRACE && !line.toString("utf8").trimStart().startsWith("{")) return;
    const passed = await this.#guard.pass(line);
    if (passed === null) return;
    let message: JSONRPCMessage;
    try {
      message = this.#parse(Buffer.from(passed).toString("utf8"));
    } catch {
      this.onerror?.(new Error("a line that is no message"));
      return;
    }
    this.onmessage?.(message);
  }

  send(message: JSONRPCMessage): Promise<void> {
    return new Promise((done, fail) => {
      const stdin = this.#child?.stdin;
      if (!stdin?.writable) {
        fail(new AppError("unavailable", "The program has ended."));
        return;
      }
      this.onsend?.();
      stdin.write(`${JSON.stringify(message)}\n`, (error) => {
        if (error) fail(error);
        else done();
      });
    });
  }

  async close(): Promise<void> {
    const child = this.#child;
    if (child === null) return;
    this.#child = null;
    const ended = new Promise<void>((done) => child.once("exit", () => done()));
    child.stdin?.end();
    const wait = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms).unref());
    await Promise.race([ended, wait(END_MS / 4)]);
    if (child.exitCode === null && child.signalCode === null) kill(child, "SIGTERM");
    await Promise.race([ended, wait(END_MS)]);
    if (child.exitCode === null && child.signalCode === null) kill(child, "SIGKILL");
  }
}

/** Ends the process and what it has started. */
function kill(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === "win32") child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // It has ended already.
  }
}
