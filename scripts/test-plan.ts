import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";

/*
 * Which test files a command runs, what each needs, and which share a process. A new file is part of `npm test`,
 * unless it is one of the browser.
 */

/** The sets of files that there are commands for. */
export type TestSet = "main" | "rest" | "all" | "quick";

/** What a file cannot run without. */
export type Need = "Chromium" | "PostgreSQL";

/** A process to start, with the test files that run in it one after the other. */
export interface Job {
  readonly files: readonly string[];
  readonly needs: ReadonlySet<Need>;
  /** How long it takes, by the last recorded times. */
  readonly seconds: number;
}

/** Measured seconds of each test file: `npm run test:all -- --record` writes them. */
export const TIMES_FILE = "tests/times.json";

/** One browser file for each journey is part of `npm test`, whatever else tests/web holds. */
const JOURNEYS: readonly string[] = [
  "tests/web/approvers.test.ts",
  "tests/web/canvas-dry-run.test.ts",
  "tests/web/connection-questions.test.ts",
  "tests/web/data-picker.test.ts",
  "tests/web/forms-by-hand.test.ts",
  "tests/web/hostile.test.ts",
  "tests/web/import-run.test.ts",
  "tests/web/mcp-app.test.ts",
  "tests/web/oauth.test.ts",
  "tests/web/passkeys.test.ts",
  "tests/web/receipt.test.ts",
  "tests/web/triggers.test.ts",
];

/** Further files that `npm test` leaves to `npm run test:all`: long series, and what others of their folder show in short. */
const LONG: readonly string[] = [
  "tests/agent/replay.test.ts",
  "tests/agent/waiting-crash.test.ts",
  "tests/authorization/matrix.test.ts",
  "tests/authorization/reported-access.test.ts",
  "tests/chaos/effects.test.ts",
  "tests/chaos/engine-postgres.test.ts",
  "tests/chaos/engine-sqlite.test.ts",
  "tests/chaos/storage.test.ts",
  "tests/cli/conventions.test.ts",
  "tests/cli/examples.test.ts",
  "tests/cli/mcp.test.ts",
  "tests/conformance/client-auth.test.ts",
  "tests/conformance/conformance.test.ts",
  "tests/connections/kill.test.ts",
  "tests/connections/large.test.ts",
  "tests/connections/mcp-servers.test.ts",
  "tests/connections/upload.test.ts",
  "tests/deploy/image.test.ts",
  "tests/docs/adding-an-operation.test.ts",
  "tests/engine/full.test.ts",
  "tests/forms/hostile.test.ts",
  "tests/forms/limits.test.ts",
  "tests/forms/properties.test.ts",
  "tests/gateway/fuzz.test.ts",
  "tests/gateway/packed.test.ts",
  "tests/guard/kill.test.ts",
  "tests/oauth/faults.test.ts",
  "tests/operations/generated-client.test.ts",
  "tests/packages/npm-package.test.ts",
  "tests/packages/packages.test.ts",
  "tests/people/approval-crash.test.ts",
  "tests/repair/kill.test.ts",
  "tests/security/cost.test.ts",
  "tests/security/faults.test.ts",
  "tests/security/read-only-root.test.ts",
  "tests/siblings/two-services.test.ts",
  "tests/storage/copies.test.ts",
  "tests/storage/damage.test.ts",
  "tests/storage/postgres-faults.test.ts",
  "tests/storage/sequencer.test.ts",
  "tests/storage/sqlite-faults.test.ts",
  "tests/suite/siblings-for-real.test.ts",
  "tests/suite/template-examples.test.ts",
  "tests/triggers/kill.test.ts",
  "tests/vault/canary.test.ts",
  "tests/vault/oauth.test.ts",
  "web/src/workflow/generated.test.ts",
];

/** Loading the service takes a second, and Chromium one more: files of one kind share a process up to this time. */
const TOGETHER: readonly { readonly glob: string; readonly seconds: number }[] = [
  { glob: "{src,packages,web/src}/**/*.test.ts", seconds: 60 },
  { glob: "tests/web/*.test.ts", seconds: 30 },
  {
    glob: "tests/{agent,artifacts,authorization,cli,connections,contract,deploy,discovery,docs,engine,events,forms,gateway,guard,oauth,operations,packages,people,provenance,repair,retention,security,siblings,storage,suite,triggers,vault,workflows}/*.test.ts",
    seconds: 30,
  },
];

/** What is not recorded yet is taken for this long. */
const UNKNOWN_SECONDS = 3;
/** `npm run test:quick` runs the unit tests and the others that are this short and need neither browser nor server. */
const QUICK_UNIT_SECONDS = 8;
const QUICK_SECONDS = 3;

const times: ReadonlyMap<string, number> = new Map(
  existsSync(TIMES_FILE) ? Object.entries(JSON.parse(readFileSync(TIMES_FILE, "utf8"))) : [],
);
const secondsOf = (file: string): number => times.get(file) ?? UNKNOWN_SECONDS;

/** The test files of a set. */
export function filesOf(set: TestSet): readonly string[] {
  const all = globSync("{src,packages,web/src,tests}/**/*.test.ts").toSorted();
  const lost = [...JOURNEYS, ...LONG].filter((file) => !all.includes(file));
  if (lost.length > 0) throw new Error(`scripts/test-plan.ts names what is not there: ${lost.join(", ")}`);
  const isRest = (file: string): boolean =>
    LONG.includes(file) || (file.startsWith("tests/web/") && !JOURNEYS.includes(file));
  switch (set) {
    case "all":
      return all;
    case "rest":
      return all.filter((file) => isRest(file));
    case "main":
      return all.filter((file) => !isRest(file));
    case "quick":
      return all.filter((file) => isQuick(file));
  }
}

function isQuick(file: string): boolean {
  if (!file.startsWith("tests/")) return secondsOf(file) <= QUICK_UNIT_SECONDS;
  return secondsOf(file) <= QUICK_SECONDS && times.has(file) && needsOf(file).size === 0;
}

/** The processes for these files, longest first. */
export function jobsOf(files: readonly string[]): readonly Job[] {
  const left = new Set(files);
  const jobs: Job[] = [];
  for (const { glob, seconds } of TOGETHER) {
    const members = globSync(glob).filter((file) => left.has(file) && !waitsAtTop(file));
    for (const file of members) left.delete(file);
    // The server is only there for those who need it, so those without stay apart.
    for (const part of Map.groupBy(members, (file) => [...needsOf(file)].toSorted().join()).values()) {
      jobs.push(...packed(part, seconds));
    }
  }
  jobs.push(...[...left].map((file) => jobOf([file])));
  return jobs.toSorted((a, b) => b.seconds - a.seconds);
}

/** Whether a file waits while it is loaded: its tests would come after its suite has ended. */
function waitsAtTop(file: string): boolean {
  return /^(?:(?:const|let) .* = )?await /m.test(readFileSync(file, "utf8"));
}

/** As few processes as these files need when none is to take longer than this, about equally long. */
function packed(files: readonly string[], seconds: number): readonly Job[] {
  const total = files.reduce((sum, file) => sum + secondsOf(file), 0);
  const bins = Array.from({ length: Math.max(1, Math.ceil(total / seconds)) }, () => {
    const members: string[] = [];
    return { members, seconds: 0 };
  });
  for (const file of files.toSorted((a, b) => secondsOf(b) - secondsOf(a))) {
    const [shortest] = bins.toSorted((a, b) => a.seconds - b.seconds);
    if (shortest === undefined) break;
    shortest.members.push(file);
    shortest.seconds += secondsOf(file);
  }
  return bins.filter(({ members }) => members.length > 0).map(({ members }) => jobOf(members));
}

/** The process that runs these files. */
export function jobOf(files: readonly string[]): Job {
  return {
    files,
    needs: new Set(files.flatMap((file) => [...needsOf(file)])),
    seconds: files.reduce((sum, file) => sum + secondsOf(file), 0),
  };
}

const SUPPORT: ReadonlyMap<string, Need> = new Map([
  ["tests/support/browser.ts", "Chromium"],
  ["tests/support/postgres.ts", "PostgreSQL"],
]);
const known = new Map<string, ReadonlySet<Need>>();

/** What a file needs: it or a file of the tests that it imports imports the support for it. */
export function needsOf(file: string): ReadonlySet<Need> {
  const had = known.get(file);
  if (had !== undefined) return had;
  const needs = new Set<Need>();
  known.set(file, needs);
  for (const [, imported = ""] of readFileSync(file, "utf8").matchAll(
    /(?:from|import\() ?"(\.[^"]+\.ts)"/g,
  )) {
    const target = path.join(path.dirname(file), imported);
    const support = SUPPORT.get(target);
    if (support !== undefined) needs.add(support);
    else if (target.startsWith("tests/")) for (const need of needsOf(target)) needs.add(need);
  }
  return needs;
}
