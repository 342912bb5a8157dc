import type { AnchorReport } from "./corpus-anchor.ts";
import type { OperationsReport, SchemaReport } from "./corpus-measure.ts";

/** Everything that one run found. */
export interface CorpusFindings {
  readonly reports: readonly SchemaReport[];
  readonly constructs: readonly {
    readonly name: string;
    readonly handled: boolean;
    readonly widgets: string;
  }[];
  readonly operations: OperationsReport;
  readonly anchor: AnchorReport | null;
}

/** docs/corpus.md. */
export function corpusPage({ reports, constructs, operations, anchor }: CorpusFindings): string {
  const sum = (pick: (report: SchemaReport) => number): number =>
    reports.reduce((total, report) => total + pick(report), 0);
  const leaves = sum(({ leaves: { field, raw, blank } }) => field + raw + blank);
  const shown = sum(({ leaves: { field, raw } }) => field + raw);
  const opened = sum((report) => report.unchanged + report.changed);
  const judged = reports.filter((report) => report.instances > 0);
  const verdicts = sum(({ server }) => server.right + server.wrong.length);
  const browser = sum(({ browser: { right, wrong } }) => right + wrong);
  const times = reports.map((report) => report.ms).toSorted((a, b) => a - b);
  const raw = new Map<string, number>();
  for (const report of reports)
    for (const [code, count] of Object.entries(report.raw)) raw.set(code, (raw.get(code) ?? 0) + count);
  const rows: (readonly [string, string, string])[] = [
    ["schemas", String(reports.length), anchor ? String(anchor.schemas) : "–"],
    [
      "answered",
      `${reports.filter((report) => report.answered).length} of ${reports.length}`,
      anchor ? `${anchor.answered} of ${anchor.schemas}` : "–",
    ],
    ["usable controls", String(sum((report) => report.controls)), anchor ? String(anchor.controls) : "–"],
    [
      "silent blanks: schemas with a part that shows nothing",
      String(reports.filter((report) => report.blanks > 0).length),
      anchor ? String(anchor.blanks) : "–",
    ],
    [
      "explicit raw JSON parts",
      `${[...raw.values()].reduce((a, b) => a + b, 0)} in ${reports.filter((report) => Object.keys(report.raw).length > 0).length} schemas`,
      "–",
    ],
    ["scalar leaves of valid instances: editable or explicitly raw", percent(shown, leaves), "–"],
    [
      "… of these editable in a field of their own",
      percent(
        sum((report) => report.leaves.field),
        leaves,
      ),
      "–",
    ],
    [
      "valid instances unchanged by open and save",
      percent(
        sum((report) => report.unchanged),
        opened,
      ),
      anchor ? percent(anchor.unchanged, anchor.opened) : "–",
    ],
    [
      "valid instances turned invalid by defaults",
      `${sum((report) => report.turnedInvalid.length)} of ${opened}`,
      anchor ? `${anchor.turnedInvalid} of ${anchor.opened}` : "–",
    ],
    [
      "schemas with instances whose validator compiles",
      `${judged.filter((report) => !report.server.notCompiled).length} of ${judged.length}`,
      anchor ? `${anchor.compiled} of ${judged.length}` : "–",
    ],
    [
      "verdicts right on positive and negative instances (server)",
      percent(
        sum((report) => report.server.right),
        verdicts,
      ),
      anchor ? percent(anchor.verdictsRight, anchor.verdicts) : "–",
    ],
    [
      "verdicts right (browser validator)",
      percent(
        sum((report) => report.browser.right),
        browser,
      ),
      "–",
    ],
    ["time, median", ms(times[times.length >> 1]), anchor ? ms(anchor.medianMs) : "–"],
    ["time, p95", ms(times[Math.floor(times.length * 0.95)]), anchor ? ms(anchor.p95Ms) : "–"],
    ["time, slowest", ms(times.at(-1)), anchor ? ms(anchor.slowestMs) : "–"],
    [
      "schemas over 250 ms",
      String(times.filter((time) => time > 250).length),
      anchor ? String(anchor.over250) : "–",
    ],
    ["timed out (3 s) or threw", "0", anchor ? String(anchor.failed) : "–"],
  ];
  const lines = [
    "# Forms, measured on a corpus of real schemas",
    "",
    "Written by `npm run corpus -- <folder>`; do not edit. The anchor is react-jsonschema-form with its ajv8 validator, measured on the same schemas in the same run, each rendered to static markup.",
    "",
    "| | this compiler | react-jsonschema-form |",
    "|---|---|---|",
    ...rows.map(([what, ours, theirs]) => `| ${what} | ${ours} | ${theirs} |`),
    "",
    "## Raw JSON parts by reason",
    "",
    "| reason | parts |",
    "|---|---|",
    ...[...raw].sort((a, b) => b[1] - a[1]).map(([code, count]) => `| ${code} | ${count} |`),
    "",
    `## Constructs: ${constructs.filter((construct) => construct.handled).length} of ${constructs.length} handled`,
    "",
    "| construct | handled | widgets |",
    "|---|---|---|",
    ...constructs.map(
      ({ name, handled, widgets }) =>
        `| ${name.replaceAll("|", "\\|")} | ${handled ? "yes" : "no"} | ${widgets} |`,
    ),
    "",
    "## API descriptions",
    "",
    "Every operation and webhook, bundled and compiled, second pass.",
    "",
    "| document | operations | rendered | whole document | p95 of one | slowest |",
    "|---|---|---|---|---|---|",
    ...operations.documents.map(
      (one) =>
        `| ${one.name} | ${one.operations} | ${one.rendered} | ${ms(one.totalMs)} | ${ms(one.p95Ms)} | ${ms(one.slowestMs)} |`,
    ),
    "",
    ...section(
      "Verdicts that differ from the corpus",
      reports.flatMap((report) => report.server.wrong),
    ),
    ...section(
      "Instances turned invalid",
      reports.flatMap((report) => report.turnedInvalid.map((name) => `${report.name}: ${name}`)),
    ),
    ...section(
      "Schemas without a validator",
      judged.filter((report) => report.server.notCompiled).map((report) => report.name),
    ),
    ...section(
      "Values shown as JSON because their widget cannot hold them",
      reports.flatMap((report) => report.misfits.map((pointer) => `${report.name}: ${pointer}`)),
    ),
    ...section(
      "Slowest schemas",
      reports
        .toSorted((a, b) => b.ms - a.ms)
        .slice(0, 5)
        .map((report) => `${report.name}: ${ms(report.ms)}`),
    ),
  ];
  return `${lines.join("\n")}\n`;
}

function section(title: string, items: readonly string[]): string[] {
  if (items.length === 0) return [];
  return [
    `## ${title}`,
    "",
    ...items.slice(0, 40).map((item) => `- ${item}`),
    ...(items.length > 40 ? [`- and ${items.length - 40} more`] : []),
    "",
  ];
}

function percent(part: number, whole: number): string {
  if (whole === 0) return "–";
  const share = part === whole ? "100" : (Math.floor((part / whole) * 10_000) / 100).toFixed(2);
  return `${share} % (${part} of ${whole})`;
}

function ms(time: number | undefined): string {
  return time === undefined ? "–" : `${time.toFixed(time < 10 ? 2 : 0)} ms`;
}
