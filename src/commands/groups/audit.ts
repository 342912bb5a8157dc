import { cursorOption, limitOption } from "../conventions.ts";
import type { CommandSpec } from "../model.ts";

/** The command about who did what when. */
export const auditCommands: readonly CommandSpec[] = [
  {
    path: "audit",
    summary: "Who did what when: changes of rights, sign-ins and decisions, newest first.",
    about:
      "With --export all entries that match are written as JSON lines, each with the names of today and the id of its provenance record. Needs the scope admin.",
    access: "key",
    options: [
      { name: "actor", value: "WHO", summary: "Only what this id or e-mail address did." },
      { name: "action", value: "ACTION", summary: "Only this action, or a kind such as person.*." },
      { name: "subject", value: "SUBJECT", summary: "Only what was done to this, such as people/person_…." },
      {
        name: "from",
        value: "TIME",
        summary: "From this day or time on (2027-01-31 is its beginning in UTC).",
      },
      { name: "to", value: "TIME", summary: "Before this day or time." },
      {
        name: "export",
        value: "FILE",
        summary: "Write JSON lines to a new file; - for the standard output.",
      },
      limitOption,
      cursorOption,
    ],
    examples: [
      {
        id: "audit",
        title: "What happened last",
        needs: ["service", "key"],
        steps: [{ options: { limit: 5 } }],
      },
      {
        id: "audit-export",
        title: "Everything about people since a day, as a file",
        needs: ["service", "key"],
        steps: [{ options: { action: "person.*", from: "2026-01-01", export: "audit.jsonl" } }],
      },
    ],
  },
];
