import { isJsonObject } from "../../kernel/json.ts";
import type { Cli, Handlers } from "../command.ts";
import { recordResult } from "../answers.ts";
import { databaseUrl } from "../database-url.ts";
import type { Result } from "../output.ts";

const CLOCK = { now: (): number => Date.now() };

/** The database itself, the service running or not. */
export const handlers: Handlers = {
  "db status": status,
  "db migrate": migrate,
  "db backup": backup,
  "db restore": restore,
  "db check": check,
};

async function status(cli: Cli): Promise<Result> {
  const { databaseStatus } = await import("../../storage/maintenance/check.ts");
  const { kind, schemaVersion, knownVersion, pending, counts } = await databaseStatus(
    databaseUrl(cli.variables),
  );
  const data = {
    kind,
    schemaVersion,
    knownVersion,
    pending: pending.map((item) => ({ ...item })),
    counts: { ...counts },
  };
  return recordResult({ ok: true, data }, data, [
    "kind",
    ["schema", `${schemaVersion} of ${knownVersion}`],
    ["pending", pending.map(({ version, name }) => `${version} ${name}`).join(", ")],
    ...Object.entries(counts).map(([table, count]) => [table, count] as const),
  ]);
}

async function migrate(cli: Cli): Promise<Result> {
  const { migrateDatabase } = await import("../../storage/maintenance/check.ts");
  const applied = await migrateDatabase(databaseUrl(cli.variables), CLOCK);
  const text = applied === 0 ? "The schema is up to date." : `${applied} migrations were applied.`;
  return { envelope: { ok: true, data: { applied } }, view: [{ kind: "note", text }] };
}

async function backup(cli: Cli): Promise<Result> {
  const { backupDatabase } = await import("../../storage/maintenance/backup.ts");
  const form = cli.given.flag("rows") ? "rows" : "native";
  let reported = 0;
  const onProgress = (share: number): void => {
    if (share < reported + 0.1) return;
    reported = share;
    cli.output.note(`${Math.floor(share * 100)} % copied`);
  };
  const file = cli.given.argument("file");
  const report = { ...(await backupDatabase(databaseUrl(cli.variables), file, form, onProgress)) };
  return recordResult({ ok: true, data: report }, report, ["file", "form", "rows"]);
}

async function restore(cli: Cli): Promise<Result> {
  const { restoreDatabase } = await import("../../storage/maintenance/backup.ts");
  const report = {
    ...(await restoreDatabase(databaseUrl(cli.variables), cli.given.argument("file"), CLOCK)),
  };
  return recordResult({ ok: true, data: report }, report, ["file", "form", "rows"]);
}

async function check(cli: Cli): Promise<Result> {
  const { checkDatabase } = await import("../../storage/maintenance/check.ts");
  const report: unknown = { ...(await checkDatabase(databaseUrl(cli.variables))) };
  const data = isJsonObject(report) ? report : {};
  const problems = Array.isArray(data["problems"]) ? data["problems"].map(String) : [];
  const checked = Array.isArray(data["checked"]) ? data["checked"].map(String) : [];
  return {
    envelope: { ok: problems.length === 0, data },
    view: [
      {
        kind: "table",
        columns: ["CHECK", "RESULT"],
        rows: [
          ...checked.map((name) => [
            name,
            problems.some((problem) => problem.startsWith(name)) ? "broken" : "ok",
          ]),
          ...problems.map((problem) => [problem, "broken"]),
        ],
      },
    ],
    ...(problems.length > 0 && { status: 1 }),
  };
}
