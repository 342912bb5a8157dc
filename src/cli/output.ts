import process from "node:process";
import type { Envelope } from "../kernel/envelope.ts";
import type { Failure } from "./failure.ts";
import {
  cut,
  oneLine,
  padded,
  painter,
  safeText,
  styleOfState,
  widthOf,
  type Paint,
} from "./terminal-text.ts";

/** How answers are printed. */
export type Mode = "human" | "json" | "yaml" | "quiet";

/** One part of what a person sees. */
export type Block =
  | {
      readonly kind: "table";
      readonly columns: readonly string[];
      readonly rows: readonly (readonly Cell[])[];
    }
  | { readonly kind: "facts"; readonly facts: readonly (readonly [string, Cell])[] }
  | { readonly kind: "text"; readonly text: string }
  /** A remark on standard error; scripts do not see it. */
  | { readonly kind: "note"; readonly text: string };

/** A value in a table; null and undefined are shown as a dash on a terminal and as nothing elsewhere. */
export type Cell = string | number | boolean | null | undefined;

/** What a command gives back. */
export interface Result {
  readonly envelope: Envelope<unknown>;
  readonly view: readonly Block[];
  /** What `--quiet` prints, one a line. */
  readonly ids?: readonly string[];
  /** The exit status, when it is not 0. */
  readonly status?: number;
}

/** How the program was asked to print. */
export interface OutputSettings {
  readonly mode: Mode;
  readonly colors: boolean;
}

/** Prints answers, errors and remarks. */
export class Output {
  readonly mode: Mode;
  readonly isTerminal: boolean;
  /** Styles text on standard output. */
  readonly paint: Paint;
  /** Styles text on standard error. */
  readonly paintError: Paint;

  constructor({ mode, colors }: OutputSettings) {
    this.mode = mode;
    this.isTerminal = process.stdout.isTTY;
    this.paint = painter(colors && this.isTerminal);
    this.paintError = painter(colors && process.stderr.isTTY);
  }

  /** Prints the answer of a command in the chosen form. */
  async print(result: Result): Promise<void> {
    if (this.mode === "json" || this.mode === "yaml") return this.document(result.envelope);
    if (this.mode === "quiet") {
      for (const id of result.ids ?? []) this.write(`${id}\n`);
      return;
    }
    for (const block of result.view) this.#block(block);
  }

  /** Prints a whole document as JSON or YAML. */
  async document(value: unknown): Promise<void> {
    if (this.mode === "yaml") {
      const { stringify } = await import("yaml");
      this.write(this.#shown(stringify(value, { lineWidth: 0 })));
    } else {
      this.write(`${this.#shown(JSON.stringify(value, null, 2))}\n`);
    }
  }

  /** Prints a failure: the envelope for programs, the message and what to do next for people. */
  async fail(failure: Failure): Promise<void> {
    const { envelope, problems = [], next } = failure.info;
    if ((this.mode === "json" || this.mode === "yaml") && envelope) await this.document(envelope);
    const lines = [
      `${this.paintError("red", "suitectl:")} ${oneLine(failure.message)}`,
      ...problems.map((problem) => `  ${oneLine(problem)}`),
      ...(next === undefined ? [] : [`${this.paintError("dim", "Next:")} ${oneLine(next)}`]),
    ];
    process.stderr.write(`${lines.join("\n")}\n`);
  }

  /** Writes to standard output as it is. */
  write(text: string): void {
    process.stdout.write(text);
  }

  /** A remark for a person. */
  note(text: string): void {
    if (this.mode !== "quiet") process.stderr.write(`${this.paintError("dim", text)}\n`);
  }

  #block(block: Block): void {
    switch (block.kind) {
      case "table":
        this.#table(block.columns, block.rows);
        break;
      case "facts":
        this.#facts(block.facts);
        break;
      case "text":
        this.write(`${this.#shown(block.text).replace(/\n$/, "")}\n`);
        break;
      case "note":
        this.note(safeText(block.text));
        break;
    }
  }

  /** On a terminal control characters are made visible; a file gets the text itself. */
  #shown(text: string): string {
    return this.isTerminal ? safeText(text) : text;
  }

  #table(columns: readonly string[], rows: readonly (readonly Cell[])[]): void {
    if (!this.isTerminal) {
      for (const row of rows) this.write(`${row.map((cell) => oneLine(textOf(cell))).join("\t")}\n`);
      return;
    }
    if (rows.length === 0) {
      this.note("Nothing to show.");
      return;
    }
    const texts = rows.map((row) =>
      row.map((cell) => (textOf(cell) === "" ? "–" : shortTime(oneLine(textOf(cell))))),
    );
    const widths = columns.map((title, index) =>
      Math.max(title.length, ...texts.map((row) => widthOf(row[index] ?? ""))),
    );
    // Ids are there to be copied, so they are never cut.
    const isId = columns.map((_, index) => texts.some((row) => ID.test(row[index] ?? "")));
    fitWidths(widths, isId, (process.stdout.columns || 80) - 2 * (columns.length - 1));
    const line = (row: readonly string[], paintCell: (text: string, plain: string) => string): string =>
      row
        .map((text, index) => {
          const short = cut(text, widths[index] ?? 0);
          const last = index === row.length - 1;
          return paintCell(last ? short : padded(short, widths[index] ?? 0), text);
        })
        .join("  ");
    this.write(`${line(columns, (text) => this.paint("bold", text))}\n`);
    for (const row of texts) {
      const shown = line(row, (text, plain) => {
        const style = styleOfState(plain);
        return style === null ? text : this.paint(style, text);
      });
      this.write(`${shown}\n`);
    }
  }

  #facts(facts: readonly (readonly [string, Cell])[]): void {
    const given = facts.filter(([, value]) => value !== undefined);
    if (!this.isTerminal) {
      for (const [name, value] of given) this.write(`${name}\t${oneLine(textOf(value))}\n`);
      return;
    }
    const width = Math.max(0, ...given.map(([name]) => name.length));
    for (const [name, value] of given) {
      const text = textOf(value) === "" ? "–" : safeText(textOf(value));
      const style = styleOfState(text);
      const shown = style === null ? text : this.paint(style, text);
      this.write(`${this.paint("dim", padded(name, width))}  ${shown}\n`);
    }
  }
}

function textOf(cell: Cell): string {
  if (cell === null || cell === undefined) return "";
  return typeof cell === "boolean" ? (cell ? "yes" : "no") : String(cell);
}

const ID = /^[a-z]+_[0-9a-z_]{20,}$/;

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const SPANS = [
  [86_400, "d"],
  [3_600, "h"],
  [60, "min"],
  [1, "s"],
] as const;

/** A time as a table shows it: how long ago, or how soon. Scripts and single records get the time itself. */
function shortTime(text: string): string {
  if (!TIME.test(text)) return text;
  const seconds = (Date.parse(text) - Date.now()) / 1_000;
  const [size, unit] = SPANS.find(([span]) => Math.abs(seconds) >= span) ?? [1, "s"];
  const count = `${Math.floor(Math.abs(seconds) / size)} ${unit}`;
  return seconds > 0 ? `in ${count}` : `${count} ago`;
}

/** Takes from the widest columns that may be cut until the table fits. */
function fitWidths(widths: number[], isFixed: readonly boolean[], room: number): void {
  const least = 8;
  for (let total = widths.reduce((sum, width) => sum + width, 0); total > room; total--) {
    const free = widths.map((width, index) => (isFixed[index] === true ? 0 : width));
    const widest = free.indexOf(Math.max(...free));
    const width = free[widest] ?? 0;
    if (width <= least) return;
    widths[widest] = width - 1;
  }
}
