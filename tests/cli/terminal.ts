import { join } from "node:path";
import { spawn, type IPty } from "@lydell/node-pty";
import { SUITECTL, type CliWorld } from "./support.ts";

/** A program in a pseudo-terminal. */
export interface Terminal {
  /** Everything shown so far, without control sequences. */
  readonly text: string;
  /** Everything as it came. */
  readonly raw: string;
  readonly pid: number;
  /** Waits until this is shown after what was waited for before. */
  until(what: string | RegExp): Promise<void>;
  /** Types; `\r` is Enter. */
  type(keys: string): void;
  /** Waits for a question and answers it. */
  answer(question: string | RegExp, keys: string): Promise<void>;
  /** The exit status. */
  readonly ended: Promise<number>;
}

const PATIENCE_MS = 30_000;

/** Runs suitectl in a pseudo-terminal. */
export function openTerminal(
  world: CliWorld,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  size: { readonly cols: number; readonly rows: number } = { cols: 100, rows: 30 },
): Terminal {
  return openProgram(world, process.execPath, [SUITECTL, ...args], env, size);
}

/** Runs any program in a pseudo-terminal. */
export function openProgram(
  world: CliWorld,
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  size: { readonly cols: number; readonly rows: number } = { cols: 100, rows: 30 },
): Terminal {
  const pty: IPty = spawn(file, [...args], {
    ...size,
    cwd: join(world.folder, "work"),
    env: { ...world.env, ...env },
  });
  let raw = "";
  let seen = 0;
  let check: (() => void) | null = null;
  pty.onData((data) => {
    raw += data;
    check?.();
  });
  const ended = new Promise<number>((resolve) => {
    pty.onExit(({ exitCode }) => {
      resolve(exitCode);
      check?.();
    });
  });
  const until = (what: string | RegExp): Promise<void> =>
    new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        check = null;
        pty.kill();
        reject(new Error(`${String(what)} did not come; the terminal shows:\n${plain(raw)}`));
      }, PATIENCE_MS);
      check = () => {
        const rest = plain(raw).slice(seen);
        const at = typeof what === "string" ? rest.indexOf(what) : rest.search(what);
        if (at < 0) return;
        const length = typeof what === "string" ? what.length : (what.exec(rest)?.[0].length ?? 0);
        seen += at + length;
        check = null;
        clearTimeout(late);
        resolve();
      };
      check();
    });
  return {
    get text() {
      return plain(raw);
    },
    get raw() {
      return raw;
    },
    pid: pty.pid,
    until,
    type: (keys) => pty.write(keys),
    async answer(question, keys) {
      await until(question);
      pty.write(keys);
    },
    ended,
  };
}

/** Text without control sequences; what a cursor overwrote stays in it. */
function plain(raw: string): string {
  return raw.replaceAll(/\u001b\[[0-9;?]*[A-Za-z]/g, "").replaceAll("\r", "");
}
