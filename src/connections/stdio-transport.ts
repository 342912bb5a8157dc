import { spawn, type ChildProcess } from "node:child_process";
import { tmpdir } from "node:os";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { AppError } from "../kernel/errors.ts";
import type { ConnectionCommand } from "../ports/connections.ts";

/** The longest message that is read from a program. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
const END_MS = 2_000;

/**
 * A program that speaks MCP over its standard input and output: started without a shell, in an environment of its own
 * and as a process group, so that what it starts ends with it. What it writes to its error output is dropped.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Called before a message is written. */
  onsend?: () => void;
  readonly #command: ConnectionCommand;
  readonly #parse: (line: string) => JSONRPCMessage;
  readonly #environment: Readonly<Record<string, string>>;
  #child: ChildProcess | null = null;
  #pending: Buffer[] = [];
  #size = 0;

  constructor(
    command: ConnectionCommand,
    environment: Readonly<Record<string, string>>,
    parse: (line: string) => JSONRPCMessage,
  ) {
    this.#command = command;
    this.#environment = environment;
    this.#parse = parse;
  }

  start(): Promise<void> {
    return new Promise((done, fail) => {
      const { command, args, env } = this.#command;
      const child = spawn(command, [...args], {
        shell: false,
        detached: process.platform !== "win32",
        stdio: ["pipe", "pipe", "ignore"],
        cwd: tmpdir(),
        env: { ...this.#environment, HOME: tmpdir(), ...env },
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
        this.onclose?.();
      });
      child.stdin?.on("error", (error) => this.onerror?.(error));
      child.stdout?.on("data", (chunk: Buffer) => this.#read(chunk));
    });
  }

  #read(chunk: Buffer): void {
    let rest = chunk;
    for (let end = rest.indexOf(0x0a); end !== -1; end = rest.indexOf(0x0a)) {
      const line = Buffer.concat([...this.#pending, rest.subarray(0, end)]).toString("utf8");
      this.#pending = [];
      this.#size = 0;
      rest = rest.subarray(end + 1);
      this.#deliver(line);
    }
    this.#size += rest.length;
    if (this.#size > MAX_LINE_BYTES) {
      this.onerror?.(
        new AppError("too_large", `The program wrote more than ${MAX_LINE_BYTES} bytes in one message.`),
      );
      void this.close();
      return;
    }
    if (rest.length > 0) this.#pending.push(rest);
  }

  #deliver(line: string): void {
    if (line.trim() === "") return;
    try {
      this.onmessage?.(this.#parse(line));
    } catch {
      // Programs print other things too; only messages of the protocol count.
      this.onerror?.(new Error("a line that is no message"));
    }
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
