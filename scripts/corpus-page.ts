import { LIMIT_MS, type AnchorReport } from "./corpus-anchor.ts";
import type { OperationsReport, SchemaReport } from "./corpus-measure.ts";
import type { SuiteReport } from "./corpus-suite.ts";

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
  readonly suite: readonly SuiteReport[];
  /** The peak of a process that only compiles, and of the one that measured everything. */
  readonly compilerMb: number;
  readonly memoryMb: number;
  /** When and on what. */
  readonly measured: string;
}

/** docs/corpus.md. */
export function corpusPage({
  reports,
  constructs,
  operations,
  anchor,
  suite,
  compilerMb,
  memoryMb,
  measured,
}: CorpusFindings): string {
  const sum = (pick: (report: SchemaReport) => number): number =>
    reports.reduce((total, report) => total + pick(report), 0);
  const leaves = sum(({ leaves: { field, raw, blank } }) => field + raw + blank);
  const shown = sum(({ leaves: { field, raw } }) => field + raw);
  const opened = sum((report) => report.unchanged + report.changed);
  const verdicts = sum(({ server }) => server.right + server.wrong.length + server.unknown.length);
  const browser = sum(({ browser: { same, other } }) => same + other);
  const large = reports.filter((report) => report.schemaSize > 10_000 && report.formSize > 0);
  const ratios = large.map((report) => report.formSize / report.schemaSize).toSorted((a, b) => a - b);
  const raw = new Map<string, number>();
  for (const report of reports)
    for (const [code, count] of Object.entries(report.raw)) raw.set(code, (raw.get(code) ?? 0) + count);
  const outcomes = (outcome: SchemaReport["outcome"]): string =>
    String(reports.filter((report) => report.outcome === outcome).length);
  const theirs = (text: (report: AnchorReport) => string): string => (anchor ? text(anchor) : "–");
  const rows: (readonly [string, string, string])[] = [
    [
      "schemas",
      String(reports.length),
      theirs(({ schemas }) =>
        schemas < reports.length ? `${schemas}, an even sample: its time was up` : String(schemas),
      ),
    ],
    [
      "answered",
      `${outcomes("answered")} of ${reports.length}`,
      theirs(({ answered, schemas }) => `${answered} of ${schemas}`),
    ],
    ["threw", outcomes("threw"), theirs(({ threw }) => String(threw))],
    [
      `stopped or slower than ${LIMIT_MS / 1_000} s`,
      outcomes("timed_out"),
      theirs(({ timedOut }) => String(timedOut)),
    ],
    ["usable controls", String(sum((report) => report.controls)), theirs(({ controls }) => String(controls))],
    [
      "silent blanks: parts of the schema, at any depth, that cannot be entered (anchor: schemas that show nothing at all)",
      String(sum((report) => report.blanks.length)),
      theirs(({ blanks }) => String(blanks)),
    ],
    [
      "start values that are wrong, not only incomplete",
      `${reports.filter((report) => report.badStart).length} of ${reports.length}`,
      "–",
    ],
    [
      `size of the form document, schemas over 10,000 characters (${large.length}): median, largest ratio`,
      `${(ratios[ratios.length >> 1] ?? 0).toFixed(1)}, ${(ratios.at(-1) ?? 0).toFixed(1)}`,
      "–",
    ],
    [
      "peak memory of a process that reads the corpus and compiles all of it",
      `${Math.round(compilerMb)} MB`,
      "–",
    ],
    [
      "peak memory of this measurement: all reports, instances, and threads that check values",
      `${Math.round(memoryMb)} MB`,
      "–",
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
      theirs((report) => percent(report.unchanged, report.opened)),
    ],
    [
      "valid instances turned invalid by defaults",
      `${sum((report) => report.turnedInvalid.length)} of ${opened}`,
      theirs((report) => `${report.turnedInvalid} of ${report.opened}`),
    ],
    [
      "schemas whose validator compiles",
      percent(reports.filter((report) => report.compiled).length, reports.length),
      theirs(
        (report) =>
          `${percent(report.compiled, report.schemas)}, ${report.checkTimedOut} stopped after ${LIMIT_MS / 1_000} s`,
      ),
    ],
    [
      "verdicts right on positive and negative instances",
      percent(
        sum((report) => report.server.right),
        verdicts,
      ),
      theirs((report) => percent(report.verdictsRight, report.verdicts)),
    ],
    ["verdicts unknown", String(sum(({ server }) => server.unknown.length)), "–"],
    [
      "the browser's verdict is the server's",
      percent(
        sum((report) => report.browser.same),
        browser,
      ),
      "–",
    ],
    ...timeRows(
      "time",
      reports.map((report) => report.ms),
      anchor?.ms,
    ),
    ...timeRows(
      "processor time",
      reports.map((report) => report.cpuMs),
      anchor?.cpuMs,
    ),
  ];
  const lines = [
    "# Forms, measured on a corpus of real schemas",
    "",
    "Written by `npm run corpus -- <folder>`; do not edit. The anchor is react-jsonschema-form 6 with its ajv8 validator in the dialect that `$schema` names, measured on the same schemas in the same run, each rendered to static markup in a process that is killed when it takes too long.",
    "",
    "Times are of one compilation each, the first of that schema, in a process that has compiled others before; nothing is repeated or picked. Time on the clock includes what else the machine does; processor time does not. The limit of 2 s is on the clock: while more processes run than the machine has processors, more schemas of the anchor are stopped, and fewer fit into its time, than on a quiet machine.",
    "",
    measured,
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
    ...suiteSection(suite),
    ...section(
      "Parts that cannot be entered",
      reports.flatMap((report) => report.blanks),
    ),
    ...section(
      "Start values that are wrong",
      reports.filter((report) => report.badStart).map((report) => report.name),
    ),
    ...section(
      "Largest form documents",
      large
        .toSorted((a, b) => b.formSize / b.schemaSize - a.formSize / a.schemaSize)
        .slice(0, 5)
        .map(
          (report) => `${report.name}: ${(report.formSize / report.schemaSize).toFixed(1)} times the schema`,
        ),
    ),
    ...section(
      "Verdicts that are unknown",
      reports.flatMap((report) => report.server.unknown),
    ),
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
      reports.filter((report) => !report.compiled).map((report) => report.name),
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
        .map((report) => `${report.name}: ${ms(report.ms)}, ${ms(report.cpuMs)} of the processor`),
    ),
  ];
  return `${lines.join("\n")}\n`;
}

function suiteSection(suite: readonly SuiteReport[]): string[] {
  if (suite.length === 0) return [];
  return [
    "## JSON-Schema-Test-Suite, required part",
    "",
    "Tests that refer to other documents are left out and counted; the last column is how many of those are right once the suite's own documents are given as companions (the others ask for the meta-schemas of JSON Schema). Formats are annotations there, as the suite has it. Keywords beside a `$ref` count in every draft, as authors and validators in use mean them; the text of draft-07 and before ignores them, and one test of each of these drafts asks for that.",
    "",
    "| draft | tests | right | unknown | browser and server differ | need other documents | right with them |",
    "|---|---|---|---|---|---|---|",
    ...suite.map(
      (one) =>
        `| ${one.draft} | ${one.total} | ${percent(one.right, one.total)} | ${one.unknown} | ${one.differ} | ${one.needRemote} | ${one.withRemote} |`,
    ),
    "",
    "### Its optional tests of formats",
    "",
    "Here formats are checked, as forms check them.",
    "",
    "| draft | tests | right |",
    "|---|---|---|",
    ...suite.map(
      ({ draft, formats }) => `| ${draft} | ${formats.total} | ${percent(formats.right, formats.total)} |`,
    ),
    "",
    ...section(
      "Tests of the suite that came out otherwise",
      suite.flatMap((one) => [...one.wrong, ...one.formats.wrong]),
    ),
  ];
}

function timeRows(
  what: string,
  ours: readonly number[],
  theirs: readonly number[] | undefined,
): (readonly [string, string, string])[] {
  const row = (
    label: string,
    pick: (sorted: readonly number[]) => string,
  ): readonly [string, string, string] => [
    `${what}, ${label}`,
    pick(ours.toSorted((a, b) => a - b)),
    theirs ? pick(theirs.toSorted((a, b) => a - b)) : "–",
  ];
  return [
    row("median", (sorted) => ms(sorted[sorted.length >> 1])),
    row("p95", (sorted) => ms(sorted[Math.floor(sorted.length * 0.95)])),
    row("slowest", (sorted) => ms(sorted.at(-1))),
    row("schemas over 250 ms", (sorted) => String(sorted.filter((time) => time > 250).length)),
  ];
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
