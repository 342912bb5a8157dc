import { cursorOption, limitOption, recordId, yesOption } from "../conventions.ts";
import type { CommandSpec, OptionSpec } from "../model.ts";

const keyId = recordId("key");
const webhookId = recordId("webhook");
const databaseOption: OptionSpec = {
  name: "database",
  summary: "Work on DATABASE_URL itself, without a key: for operators with access to the database.",
};

/** Commands of operators: keys, webhooks, events, the database. */
export const operateCommands: readonly CommandSpec[] = [
  {
    path: "keys list",
    summary: "API keys without their secrets, newest first.",
    access: "key",
    options: [limitOption, cursorOption, databaseOption],
    examples: [{ id: "keys-list", title: "Who may do what", needs: ["service", "key"], steps: [{}] }],
  },
  {
    path: "keys create",
    summary: "Make a key; it is shown this once.",
    about: "With --to the key goes into a new file with mode 600 and is not shown at all.",
    access: "key",
    args: [{ name: "name", summary: "What the key is for." }],
    options: [
      {
        name: "scope",
        value: "SCOPE",
        summary: "What it may do.",
        many: true,
        choices: ["admin", "run", "approve", "handoff", "read-private", "write"],
      },
      {
        name: "expires-in",
        value: "TIME",
        summary: "How long it works: 12h, 30d or 52w; for ever when left out.",
      },
      { name: "to", value: "FILE", summary: "A new file for the key.", kind: "file" },
      databaseOption,
    ],
    examples: [
      {
        id: "keys-create",
        title: "A key for a pipeline that runs workflows",
        needs: ["service", "key"],
        steps: [
          {
            args: ["Nightly pipeline"],
            options: { scope: ["run", "read-private"], "expires-in": "90d", to: "pipeline.key" },
          },
        ],
      },
      {
        id: "keys-create-database",
        title: "A new key when the old one is lost, on the machine that holds the database",
        needs: ["database"],
        steps: [{ args: ["Operator"], options: { scope: ["admin"], database: true, to: "operator.key" } }],
      },
    ],
  },
  {
    path: "keys rotate",
    summary: "Make a successor with the same rights; the old key works a while longer.",
    access: "key",
    args: [keyId],
    options: [
      {
        name: "grace",
        value: "TIME",
        summary: "How long the old key still works, such as 1h; the service's default when left out.",
      },
      { name: "to", value: "FILE", summary: "A new file for the key.", kind: "file" },
      databaseOption,
    ],
    examples: [
      {
        id: "keys-rotate",
        title: "Replace the newest key within an hour",
        needs: ["service", "key"],
        steps: [
          { path: "keys create", args: ["Short-lived"], options: { scope: ["run"], to: "old.key" } },
          { args: ["latest"], options: { grace: "1h", to: "new.key" } },
        ],
      },
    ],
  },
  {
    path: "keys revoke",
    summary: "Revoke a key at once.",
    access: "key",
    args: [keyId],
    options: [yesOption, databaseOption],
    examples: [
      {
        id: "keys-revoke",
        title: "Make a key and revoke it",
        needs: ["service", "key"],
        steps: [
          { path: "keys create", args: ["Mistake"], options: { scope: ["run"], to: "mistake.key" } },
          { args: ["latest"], options: { yes: true } },
        ],
      },
    ],
  },
  {
    path: "webhooks list",
    summary: "Webhooks, newest first.",
    access: "key",
    options: [limitOption, cursorOption],
    examples: [{ id: "webhooks-list", title: "Who is told what", needs: ["service", "key"], steps: [{}] }],
  },
  {
    path: "webhooks create",
    summary: "Send events to an address; the signing secret is shown this once.",
    access: "key",
    args: [{ name: "address", summary: "The http or https URL that receives the events." }],
    options: [
      {
        name: "type",
        value: "TYPE",
        summary: "An event such as svc.run.failed, or svc.run.*; all when left out.",
        many: true,
      },
      {
        name: "to",
        value: "FILE",
        summary: "A new file with mode 600 for the signing secret, instead of showing it.",
        kind: "file",
      },
    ],
    examples: [
      {
        id: "webhooks-create",
        title: "Tell a pager about failed runs",
        needs: ["service", "key"],
        steps: [
          {
            args: ["https://hooks.example.com/suite"],
            options: { type: ["svc.run.failed", "svc.run.timed_out"], to: "webhook.secret" },
          },
        ],
      },
    ],
  },
  {
    path: "webhooks pause",
    summary: "Stop sending; deliveries are collected.",
    access: "key",
    args: [webhookId],
    examples: [
      {
        id: "webhooks-pause",
        title: "Pause the newest webhook",
        needs: ["service", "key", "webhook"],
        steps: [{ args: ["latest"] }],
      },
    ],
  },
  {
    path: "webhooks resume",
    summary: "Send what was collected, and go on.",
    access: "key",
    args: [webhookId],
    examples: [
      {
        id: "webhooks-resume",
        title: "Resume the newest webhook",
        needs: ["service", "key", "webhook"],
        steps: [{ args: ["latest"] }],
      },
    ],
  },
  {
    path: "webhooks rotate",
    summary: "Make a new signing secret; both signatures are sent until the next rotation.",
    access: "key",
    args: [webhookId],
    options: [
      { name: "to", value: "FILE", summary: "A new file with mode 600 for the secret.", kind: "file" },
    ],
    examples: [
      {
        id: "webhooks-rotate",
        title: "Rotate the newest webhook's secret",
        needs: ["service", "key", "webhook"],
        steps: [{ args: ["latest"], options: { to: "webhook-new.secret" } }],
      },
    ],
  },
  {
    path: "webhooks deliveries",
    summary: "Deliveries of a webhook, newest first.",
    access: "key",
    args: [webhookId],
    options: [
      { name: "status", value: "STATUS", summary: "Only these.", choices: ["pending", "delivered", "dead"] },
      limitOption,
      cursorOption,
    ],
    examples: [
      {
        id: "webhooks-deliveries",
        title: "The dead letters of the newest webhook",
        needs: ["service", "key", "webhook"],
        steps: [{ args: ["latest"], options: { status: "dead" } }],
      },
    ],
  },
  {
    path: "webhooks redeliver",
    summary: "Queue dead letters again: one, or all of the webhook.",
    access: "key",
    args: [
      webhookId,
      { name: "delivery", summary: "The id of a dead letter; all when left out.", optional: true },
    ],
    examples: [
      {
        id: "webhooks-redeliver",
        title: "Try all dead letters of the newest webhook again",
        needs: ["service", "key", "webhook"],
        steps: [{ args: ["latest"] }],
      },
    ],
  },
  {
    path: "webhooks remove",
    summary: "Remove a webhook and its deliveries.",
    access: "key",
    args: [webhookId],
    options: [yesOption],
    examples: [
      {
        id: "webhooks-remove",
        title: "Remove the newest webhook",
        needs: ["service", "key", "webhook"],
        steps: [{ args: ["latest"], options: { yes: true } }],
      },
    ],
  },
  {
    path: "events tail",
    summary: "Follow the service's events as they happen.",
    about:
      "One line an event; with --json one CloudEvent a line. A lost connection is taken up again where it broke. Without a key only what is public is shown.",
    access: "public",
    options: [
      {
        name: "type",
        value: "TYPE",
        summary: "An event such as svc.run.failed, or svc.run.*; all when left out.",
        many: true,
      },
      { name: "subject", value: "ID", summary: "Only events about this record." },
      { name: "after", value: "SEQUENCE", summary: "Begin after this event; 0 for everything that is kept." },
      { name: "count", value: "N", summary: "End after so many events." },
    ],
    examples: [
      {
        id: "events-tail",
        title: "The first three events about runs that are kept",
        needs: ["service", "key", "run"],
        steps: [{ options: { type: ["svc.run.*"], after: 0, count: 3 } }],
      },
    ],
  },
  {
    path: "db status",
    summary: "The kind, schema and size of the database. Changes nothing.",
    access: "database",
    examples: [{ id: "db-status", title: "Look at the database", needs: ["database"], steps: [{}] }],
  },
  {
    path: "db migrate",
    summary: "Bring the schema up to date, as the service does when it starts.",
    access: "database",
    examples: [
      { id: "db-migrate", title: "Migrate before a new version starts", needs: ["database"], steps: [{}] },
    ],
  },
  {
    path: "db backup",
    summary: "Copy the database while it is in use.",
    access: "database",
    args: [{ name: "file", summary: "The new file; one that exists is never touched.", kind: "file" }],
    options: [
      {
        name: "rows",
        summary: "Write rows that fit into SQLite and PostgreSQL alike, instead of a SQLite file.",
      },
    ],
    examples: [
      {
        id: "db-backup",
        title: "Back up and try the backup out",
        needs: ["database"],
        steps: [{ args: ["backup.db"] }, { path: "db check", env: { DATABASE_URL: "sqlite:backup.db" } }],
      },
    ],
  },
  {
    path: "db restore",
    summary: "Fill an empty database from a backup; one with content is never touched.",
    access: "database",
    args: [{ name: "file", summary: "The backup.", kind: "file" }],
    examples: [
      {
        id: "db-restore",
        title: "Restore into a new database",
        needs: ["database"],
        steps: [
          { path: "db backup", args: ["rows.jsonl"], options: { rows: true } },
          { args: ["rows.jsonl"], env: { DATABASE_URL: "sqlite:restored.db" } },
        ],
      },
    ],
  },
  {
    path: "db check",
    summary: "Check the file, the references and our own promises about the data.",
    access: "database",
    examples: [{ id: "db-check", title: "Check the database", needs: ["database"], steps: [{}] }],
  },
];
