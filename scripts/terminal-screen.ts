/** One character with its style. */
interface Glyph {
  readonly character: string;
  readonly style: string;
}

const COLORS: Readonly<Record<string, string>> = {
  "1": "font-weight:600;color:#fff",
  "2": "color:#8b93a7",
  "31": "color:#ff7b72",
  "32": "color:#7ee787",
  "33": "color:#f2cc60",
  "34": "color:#79c0ff",
  "36": "color:#76e3ea",
};

/** The part of a terminal that suitectl uses: text, line breaks, moving up, erasing and colours. */
export class TerminalScreen {
  readonly columns: number;
  readonly rows: number;
  readonly #lines: Glyph[][] = [[]];
  #row = 0;
  #column = 0;
  #style = "";
  #rest = "";

  constructor(columns: number, rows: number) {
    this.columns = columns;
    this.rows = rows;
  }

  /** The lines that are on the screen. */
  get lines(): readonly (readonly Glyph[])[] {
    return this.#lines.slice(-this.rows);
  }

  /** What is shown, as plain text. */
  get text(): string {
    return this.#lines.map((line) => line.map(({ character }) => character).join("")).join("\n");
  }

  write(data: string): void {
    const text = this.#rest + data;
    const cut = /\u001b(\[[0-9;?]*)?$/.exec(text)?.index ?? text.length;
    this.#rest = text.slice(cut);
    for (const [token, letter] of text.slice(0, cut).matchAll(/\u001b\[[0-9;?]*([A-Za-z])|[\s\S]/gu)) {
      if (letter === undefined) this.#put(token);
      else this.#control(letter, token.slice(2, -1));
    }
  }

  #put(character: string): void {
    if (character === "\r") this.#column = 0;
    else if (character === "\n") this.#down();
    else if (character === "\b") this.#column = Math.max(0, this.#column - 1);
    else if (character === "\t") this.#column = (Math.floor(this.#column / 8) + 1) * 8;
    else if (character >= " ") {
      if (this.#column >= this.columns) {
        this.#down();
        this.#column = 0;
      }
      const line = this.#line();
      while (line.length < this.#column) line.push({ character: " ", style: "" });
      line[this.#column++] = { character, style: this.#style };
    }
  }

  #down(): void {
    this.#row += 1;
    if (this.#row >= this.#lines.length) this.#lines.push([]);
  }

  #line(): Glyph[] {
    return this.#lines[this.#row] ?? [];
  }

  #control(letter: string, parameters: string): void {
    const count = Number(parameters) || 1;
    if (letter === "A") this.#row = Math.max(0, this.#row - count);
    else if (letter === "G") this.#column = count - 1;
    else if (letter === "K") this.#line().splice(this.#column);
    else if (letter === "J") {
      this.#line().splice(this.#column);
      this.#lines.splice(this.#row + 1);
    } else if (letter === "m") this.#style = COLORS[parameters] ?? "";
  }
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** The screen as a page that draws it in a window. */
export function screenHtml(screen: TerminalScreen): string {
  const lines = screen.lines.map((line) => {
    let html = "";
    for (const { character, style } of line) {
      html += style === "" ? escaped(character) : `<span style="${style}">${escaped(character)}</span>`;
    }
    return html;
  });
  return `<!doctype html><meta charset="utf-8"><style>
body { margin: 0; background: transparent }
main { display: inline-block; padding: 0 0 18px; border-radius: 10px; background: #0d1117; overflow: hidden }
header { padding: 10px 14px; background: #161b22; font: 13px system-ui, sans-serif; color: #8b93a7; text-align: center }
i { float: left; width: 12px; height: 12px; margin-right: 8px; border-radius: 50% }
pre { margin: 14px 18px 0; font: 13px/1.38 "DejaVu Sans Mono", Menlo, Consolas, monospace; color: #d7dde8 }
</style><main><header><i style="background:#ff5f57"></i><i style="background:#febc2e"></i><i style="background:#28c840"></i>suitectl</header><pre>${lines.join("\n")}</pre></main>`;
}
