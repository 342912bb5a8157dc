import type { Cli } from "../command.ts";
import { databaseUrl } from "../database-url.ts";
import { note, recordResult, table } from "../results.ts";
import { argument, example, group, option } from "../spec.ts";

const CLOCK = { now: (): number => Date.now() };
const url = (cli: Cli): string => databaseUrl(cli.variables);

/** The database itself, the service running or not. */
export const db = group("db", {
  status: {
    summary: "The kind, schema and size of the database. Changes nothing.",
    access: "database",
    examples: [example("Look at the database")],
    async run(cli) {
      const { databaseStatus } = await import("../../storage/maintenance/check.ts");
      const data = await databaseStatus(url(cli));
      const { schemaVersion, knownVersion, pending, counts } = data;
      return recordResult({ ok: true, data }, data, [
        "kind",
        ["schema", `${schemaVersion} of ${knownVersion}`],
        ["pending", pending.map(({ version, name }) => `${version} ${name}`).join(", ")],
        ...Object.entries(counts).map(([name, count]) => [name, count] as const),
      ]);
    },
  },
  migrate: {
    summary: "Bring the schema up to date, as the service does when it starts.",
    access: "database",
    examples: [example("Migrate before a new version starts")],
    async run(cli) {
      const { migrateDatabase } = await import("../../storage/maintenance/check.ts");
      const applied = await migrateDatabase(url(cli), CLOCK, ({ version, name }, left) =>
        cli.output.note(`schema ${version}: ${name} (${left} to go)`),
      );
      const text = applied === 0 ? "The schema is up to date." : `${applied} migrations were applied.`;
      return { envelope: { ok: true, data: { applied } }, view: [note(text)] };
    },
  },
  backup: {
    summary: "Copy the database while it is in use.",
    access: "database",
    args: [argument("file", "The new file; one that exists is never touched.", { kind: "file" })],
    options: [
      option("--rows", "Write rows that fit into SQLite and PostgreSQL alike, instead of a SQLite file."),
    ],
    examples: [
      example("Back up and try the backup out", [
        "suitectl db backup backup.db",
        "DATABASE_URL=sqlite:backup.db suitectl db check",
      ]),
    ],
    async run(cli) {
      const { backupDatabase } = await import("../../storage/maintenance/backup.ts");
      let reported = 0;
      const onProgress = (share: number): void => {
        if (share < reported + 0.1) return;
        reported = share;
        cli.output.note(`${Math.floor(share * 100)} % copied`);
      };
      const form = cli.given.flag("rows") ? "rows" : "native";
      const data = await backupDatabase(url(cli), cli.given.argument("file"), form, onProgress);
      return recordResult({ ok: true, data }, data, ["file", "form", "rows"]);
    },
  },
  restore: {
    summary: "Fill an empty database from a backup; one with content is never touched.",
    access: "database",
    args: [argument("file", "The backup.", { kind: "file" })],
    examples: [
      example("Restore into a new database", [
        "suitectl db backup rows.jsonl --rows",
        "DATABASE_URL=sqlite:restored.db suitectl db restore rows.jsonl",
      ]),
    ],
    async run(cli) {
      const { restoreDatabase } = await import("../../storage/maintenance/backup.ts");
      const data = await restoreDatabase(url(cli), cli.given.argument("file"), CLOCK);
      return recordResult({ ok: true, data }, data, ["file", "form", "rows"]);
    },
  },
  check: {
    summary: "Check the file, the references and our own promises about the data.",
    access: "database",
    examples: [example("Check the database")],
    async run(cli) {
      const { checkDatabase } = await import("../../storage/maintenance/check.ts");
      const data = await checkDatabase(url(cli));
      const { problems, checked } = data;
      const rows = [
        ...checked.map((check) => ({ check, isBroken: problems.some((text) => text.startsWith(check)) })),
        ...problems.map((check) => ({ check, isBroken: true })),
      ];
      return {
        envelope: { ok: problems.length === 0, data },
        view: [table({ CHECK: "check", RESULT: ({ isBroken }) => (isBroken ? "broken" : "ok") }, rows)],
        ...(problems.length > 0 && { status: 1 }),
      };
    },
  },
});
