import { Type, type Static } from "typebox";
import { problemAt, type Problem } from "../kernel/errors.ts";
import { AuditEntryView } from "../model/audit.ts";
import { inputOf, NEXT_CURSOR, PAGE_INPUT, PERIOD_INPUT, periodIn, periodProblems } from "../model/common.ts";
import type { AuditFilter } from "../ports/audit.ts";
import { allows } from "../ports/caller.ts";
import type { RequestFacts, HttpSink } from "../ports/http.ts";
import { operationsWith, pageIn } from "../ports/operations.ts";
import type { Records } from "../ports/store.ts";
import { AUDIT_ACTIONS, wordsOf } from "./actions.ts";
import { AuditNames } from "./names.ts";

/** Entries that an export holds in memory at a time. */
const EXPORT_PAGE = 200;
const ACTIONS = Object.keys(AUDIT_ACTIONS);
const KINDS = [...new Set(ACTIONS.map((action) => `${action.split(".")[0] ?? ""}.*`))];
const { operation, contentOperation, declared } = operationsWith<unknown>();

const FILTER_INPUT = {
  actor: Type.Optional(Type.String({ description: "The id or the e-mail address of who did it." })),
  action: Type.Optional(
    Type.String({ description: "One that list_audit_actions names, or a kind such as person.*." }),
  ),
  subject: Type.Optional(Type.String({ description: "What it was done to, such as people/person_…." })),
  ...PERIOD_INPUT,
};
const FilterInput = Type.Object(FILTER_INPUT);
type FilterInput = Static<typeof FilterInput>;

operation({
  name: "list_audit",
  title: "List the audit entries",
  description: "Who did what when, newest first.",
  http: "GET /api/svc/audit",
  access: "admin",
  input: inputOf({ ...FILTER_INPUT, ...PAGE_INPUT }),
  output: Type.Object({ entries: Type.Array(AuditEntryView), nextCursor: NEXT_CURSOR }),
  rules: filterProblems,
  async run(input, { services }) {
    const { read } = services.store;
    const filter = await filterIn(input, read);
    const page = filter === null ? NOTHING : await read.audit.list(pageIn(input), filter);
    const names = new AuditNames(read);
    const entries: AuditEntryView[] = [];
    for (const entry of page.items) entries.push(await names.view(entry));
    return { entries, nextCursor: page.nextCursor };
  },
});

operation({
  name: "list_audit_actions",
  title: "List the audited actions",
  description: "What the audit list records, with plain words for each action.",
  http: "GET /api/svc/audit/actions",
  access: "admin",
  input: inputOf({}),
  output: Type.Object({
    actions: Type.Array(Type.Object({ name: Type.String(), what: Type.String() })),
    kinds: Type.Array(Type.String()),
  }),
  run: () => ({ actions: ACTIONS.map((name) => ({ name, what: wordsOf(name) })), kinds: [...KINDS] }),
});

contentOperation({
  kind: "file",
  name: "export_audit",
  title: "Export the audit entries",
  description: "The same entries as JSON lines, all of them, newest first.",
  http: "GET /api/svc/audit/export",
  access: "admin",
  contentType: "application/jsonl",
  input: inputOf(FILTER_INPUT),
  output: Type.String(),
  rules: filterProblems,
  async answer(input, { services, request }) {
    const filter = await filterIn(input, services.store.read);
    return {
      status: 200,
      contentType: "application/jsonl; charset=utf-8",
      headers: {
        "cache-control": "no-store",
        "content-disposition": 'attachment; filename="audit.jsonl"',
      },
      stream: (sink) => exportTo(sink, request, filter),
    };
  },
});

/** How an admin reads who did what when. */
export const auditOperations = declared;

const NOTHING = { items: [], nextCursor: null };

/** Page by page, at the pace of the reader. New entries are before the first page, so none comes twice. */
async function exportTo(sink: HttpSink, request: RequestFacts, filter: AuditFilter | null): Promise<void> {
  const { read } = request.context.services.store;
  const names = new AuditNames(read);
  let cursor: string | null | undefined = filter === null ? null : undefined;
  while (cursor !== null && !sink.signal.aborted) {
    const page = await read.audit.list(
      { limit: EXPORT_PAGE, ...(cursor !== undefined && { cursor }) },
      filter ?? {},
    );
    for (const entry of page.items) {
      if (!sink.write(`${JSON.stringify(await names.view(entry))}\n`)) return;
      await sink.drained();
    }
    cursor = page.nextCursor;
    const caller = cursor === null ? null : await request.recheck();
    if (cursor !== null && (caller === null || !allows(caller, "admin"))) {
      sink.write(`${JSON.stringify({ incomplete: true, reason: "The right to read this list ended." })}\n`);
      break;
    }
  }
  sink.end();
}

function filterProblems({ action, ...period }: FilterInput): readonly Problem[] {
  const given = action?.trim() ?? "";
  const isKnown = given === "" || ACTIONS.includes(given) || KINDS.includes(given);
  return [
    ...(isKnown
      ? []
      : [problemAt("action", "one that GET /api/svc/audit/actions lists, or a kind such as person.*")]),
    ...periodProblems(period),
  ];
}

/** What the input asks for; null when it names a person who does not exist. */
async function filterIn(
  input: FilterInput,
  { people }: Pick<Records, "people">,
): Promise<AuditFilter | null> {
  const given = (name: "actor" | "action" | "subject"): string | undefined =>
    input[name]?.trim() || undefined;
  let actor = given("actor");
  if (actor?.includes("@") === true) {
    const person = await people.byEmail(actor.toLowerCase());
    if (person === null) return null;
    actor = person.id;
  }
  const [action, subject] = [given("action"), given("subject")];
  return {
    ...(actor !== undefined && { actor }),
    ...(action !== undefined && { action }),
    ...(subject !== undefined && { subject }),
    ...periodIn(input),
  };
}
