import { readFileSync } from "node:fs";

/** The table of figures in README.md, from the pages that the benchmarks wrote. */
export function renderFigures(): string {
  const gateway = table("gateway", "bar");
  const http = table("http", "store");
  const workflows = table("workflows", "bar");
  const startup = table("startup", "what");
  const opened = table("editor", "what")(["open as a picture"], "measured");
  const runs = (store: string): string => http([store, "32", "this build"], "runs/s");
  const started = startup(["from the start to the first answer, ms"], "now");
  const graphile = ["PostgreSQL, of graphile-worker"];
  const missed = workflows(graphile, "") === "missed" ? ` (missed: ${workflows(graphile, "wanted")})` : "";
  const rows: readonly (readonly [what: string, measured: string, command: string])[] = [
    [
      "requests/s of `tools/call` against raw `node:http`; against the faster official MCP server",
      `${gateway(["tools/call: share of raw node:http"], "measured")}; ${rounded(gateway(["tools/call: times the faster official SDK server"], "measured"), 1)}×`,
      "bench:gateway",
    ],
    [
      "`run_workflow` with ten durable steps over HTTP, 32 callers: SQLite; PostgreSQL",
      `${runs("SQLite")}; ${runs("PostgreSQL")} runs/s`,
      "bench:http",
    ],
    ["2,000 steps in the editor: opened in", `${rounded(opened, 1, 1_000)} s`, "bench:editor"],
    [
      "from the start to the first answer; resident memory when idle",
      `${rounded(started, 0)} ms; ${rounded(startup(["resident memory when idle, MB"], "now"), 0)} MB`,
      "bench:startup",
    ],
    [
      `durable steps/s on PostgreSQL: against DBOS; against graphile-worker, which stores less${missed}`,
      `${rounded(workflows(["PostgreSQL, of DBOS"], "measured"), 1)}×; ${workflows(graphile, "measured")}`,
      "bench:workflows",
    ],
  ];
  return [
    "",
    "| what | measured | command |",
    "|---|---|---|",
    ...rows.map(([what, measured, command]) => `| ${what} | ${measured} | \`npm run ${command}\` |`),
    "",
  ].join("\n");
}

type Table = (cells: readonly string[], column: string) => string;

/** The first table of a page whose first column has this title: finds a cell by the first cells of its row. */
function table(page: string, first: string): Table {
  const file = `bench/results/${page}.md`;
  const lines = readFileSync(file, "utf8").split("\n");
  const at = lines.findIndex((line) => line.startsWith(`| ${first} |`));
  const [titles = [], , ...rows] = lines.slice(at).map(cellsOf);
  return (cells, column) => {
    const row = rows.find((one) => cells.every((cell, nth) => one[nth] === cell));
    const found = row?.[titles.indexOf(column)];
    if (found === undefined) throw new Error(`${file} has no cell ${cells.join(", ")} / ${column}`);
    return found;
  };
}

function cellsOf(line: string): readonly string[] {
  return line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());
}

function rounded(cell: string, digits: number, unit = 1): string {
  const value = Number.parseFloat(cell.replaceAll(",", "")) / unit;
  if (Number.isNaN(value)) throw new Error(`"${cell}" is no figure`);
  return value.toFixed(digits);
}
