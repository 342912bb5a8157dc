import { globSync, readFileSync } from "node:fs";

/*
 * docs/results.md: one table of what bench/results holds. Each of those files is written by its benchmark and begins
 * with a title and a paragraph that names command, date and machine.
 */

/** What benchmarks compare with, in the words of their pages. */
const PEERS = [
  "raw node:http",
  "Fastify",
  "official SDK",
  "DBOS",
  "pg-boss",
  "graphile-worker",
  "OpenWorkflow",
  "Temporal",
  "Prism",
  "undici",
  "react-jsonschema-form",
  "JSON Forms",
  "n8n",
  "bare inserts",
  "bare durable inserts",
  "bare driver",
];

interface Result {
  readonly file: string;
  readonly title: string;
  readonly command: string;
  readonly date: string;
  readonly machine: string;
  readonly peers: readonly string[];
  readonly missed: readonly string[];
  readonly met: number;
}

/** The page. */
export function renderResults(): string {
  const results = globSync("bench/results/*.md").toSorted().map(read);
  const missed = results.flatMap(({ file, title, missed }) =>
    missed.map((row) => `- [${title}](../${file}): ${row}`),
  );
  return [
    "# Results",
    "",
    "Generated from `bench/results` by `npm run generate`; do not edit. Each page is written by the command that it names; run it to repeat the figures. Peers are measured in the same run on the same machine.",
    "",
    "| what | command | date | machine | compared with | targets met | missed |",
    "|---|---|---|---|---|---|---|",
    ...results.map(
      ({ file, title, command, date, machine, peers, met, missed }) =>
        `| [${title}](../${file}) | \`${command}\` | ${date} | ${machine} | ${peers.join(", ")} | ${met + missed.length === 0 ? "no target | " : `${met} | ${missed.length}`} |`,
    ),
    "",
    "Measured on real documents, with their own pages: [forms of real schemas](corpus.md), [forms in the browser](corpus-web.md), [MCP conformance](conformance.md), [threats and their tests](security.md).",
    "",
    "## Missed targets",
    "",
    ...missed,
    "",
  ].join("\n");
}

function read(file: string): Result {
  const text = readFileSync(file, "utf8");
  const found = (what: string, pattern: RegExp): string => {
    const [, value] = pattern.exec(text) ?? [];
    if (value === undefined) throw new Error(`${file} does not name its ${what}`);
    return value;
  };
  const rows = text.split("\n").filter((line) => line.startsWith("|"));
  const head = text.split("\n\n| ")[0] ?? "";
  const verdicts = verdictsIn(text);
  return {
    file,
    title: found("title", /^# ([^:\n]+)/),
    command: found("command", /`(npm run [^`]+)`/),
    date: found("date", /(\d{4}-\d{2}-\d{2})/),
    machine: /\b\d+ (?:× )?(?:Intel|AMD|Neoverse|cores)(?:[^,.;\n]|\.\d)*/.exec(head)?.[0] ?? "not named",
    peers: PEERS.filter((peer) => rows.some((row) => row.includes(peer)) || head.includes(peer)),
    met: verdicts.filter(({ isMet }) => isMet).length,
    missed: verdicts.filter(({ isMet }) => !isMet).map(({ row }) => row),
  };
}

/** What the tables say about targets: a cell is `met` or `missed`, or begins with ✓ or ✗. */
function verdictsIn(text: string): readonly { readonly isMet: boolean; readonly row: string }[] {
  let head: readonly string[] = [];
  return text.split("\n").flatMap((line) => {
    const cells = line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim());
    if (cells.length === 0 || head.length === 0) head = cells;
    const titles = head;
    const at = cells.findIndex((cell) => /^(?:met|missed)$|^[✓✗]/.test(cell));
    const [verdict = "", title = ""] = [cells[at], titles[at]];
    if (at < 0) return [];
    // The target is in the cell itself, at the head of its column, or in the column before.
    const isBefore = !/^[✓✗]/.test(verdict) && title === "";
    const [wanted = ""] = [/^[✓✗] (.*)/.exec(verdict)?.[1], title, cells[at - 1]].filter(Boolean);
    const measured = cells.slice(1, isBefore ? at - 1 : at).flatMap((cell, nth, all) => {
      if (cell === "") return [];
      return all.length === 1 ? [cell] : [`${titles[nth + 1] ?? ""} ${cell}`];
    });
    const row = `${cells[0] ?? ""}: ${measured.join(", ")}, wanted ${wanted.replace(/^wanted /, "")}`;
    return [{ isMet: /^(?:met|✓)/.test(verdict), row }];
  });
}
