import { ok } from "../kernel/envelope.ts";
import { AppError } from "../kernel/errors.ts";
import { allows, requireScope } from "../ports/caller.ts";
import type { AuditFilter } from "../ports/audit.ts";
import { pageOfQuery, type HttpRequest, type HttpRoute, type HttpSink } from "../ports/http.ts";
import type { Records } from "../ports/store.ts";
import { AUDIT_ACTIONS, wordsOf } from "./actions.ts";
import { AuditNames } from "./names.ts";

const AUDIT = "/api/svc/audit";
/** Entries that an export holds in memory at a time. */
const EXPORT_PAGE = 200;
const FILTERS = ["actor", "action", "subject", "from", "to"];
const ACTIONS = Object.keys(AUDIT_ACTIONS);
const KINDS = [...new Set(ACTIONS.map((action) => `${action.split(".")[0] ?? ""}.*`))];

/** The paths with which an admin reads who did what when. */
export const auditRoutes: readonly HttpRoute[] = [
  {
    method: "GET",
    path: AUDIT,
    summary: "Who did what when, newest first (actor, action, subject, from, to, limit, cursor).",
    access: "key",
    async handle({ query, context: { services, caller } }) {
      requireScope(caller, "admin");
      const { read } = services.store;
      const filter = await filterIn(query, read, ["limit", "cursor"]);
      const page = filter === null ? NOTHING : await read.audit.list(pageOfQuery(query), filter);
      const names = new AuditNames(read);
      const entries = [];
      for (const entry of page.items) entries.push(await names.view(entry));
      return { status: 200, body: ok({ entries, nextCursor: page.nextCursor }) };
    },
  },
  {
    method: "GET",
    path: `${AUDIT}/actions`,
    summary: "What the audit list tells of, with plain words for each action.",
    access: "key",
    handle({ context: { caller } }) {
      requireScope(caller, "admin");
      const actions = ACTIONS.map((name) => ({ name, what: wordsOf(name) }));
      return { status: 200, body: ok({ actions, kinds: KINDS }) };
    },
  },
  {
    method: "GET",
    path: `${AUDIT}/export`,
    summary: "The same entries as JSON lines, all of them, newest first (actor, action, subject, from, to).",
    access: "key",
    contentType: "application/jsonl",
    async handle(request) {
      const { services, caller } = request.context;
      requireScope(caller, "admin");
      const filter = await filterIn(request.query, services.store.read, []);
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
  },
];

const NOTHING = { items: [], nextCursor: null };

/** Page by page, at the pace of the reader. New entries are before the first page, so none comes twice. */
async function exportTo(sink: HttpSink, request: HttpRequest, filter: AuditFilter | null): Promise<void> {
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

/** What the query asks for; null when it names a person who does not exist. */
async function filterIn(
  query: URLSearchParams,
  { people }: Pick<Records, "people">,
  others: readonly string[],
): Promise<AuditFilter | null> {
  for (const name of query.keys()) {
    if (FILTERS.includes(name) || others.includes(name)) continue;
    throw wrong(name, `left out; the list takes ${[...FILTERS, ...others].join(", ")}`);
  }
  const given = (name: string): string | undefined => {
    const value = query.get(name)?.trim();
    return value === undefined || value === "" ? undefined : value;
  };
  const action = given("action");
  if (action !== undefined && !ACTIONS.includes(action) && !KINDS.includes(action)) {
    throw wrong("action", `one that GET ${AUDIT}/actions lists, or a kind such as person.*`);
  }
  let actor = given("actor");
  if (actor?.includes("@") === true) {
    const person = await people.byEmail(actor.toLowerCase());
    if (person === null) return null;
    actor = person.id;
  }
  const subject = given("subject");
  const from = timeIn("from", given("from"));
  const to = timeIn("to", given("to"));
  return {
    ...(actor !== undefined && { actor }),
    ...(action !== undefined && { action }),
    ...(subject !== undefined && { subject }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  };
}

/** A day stands for its beginning in UTC. */
function timeIn(name: string, value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const at = /^\d{4}-\d{2}-\d{2}(T.*)?$/.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(at)) throw wrong(name, "a day such as 2027-01-31 or a time such as 2027-01-31T08:00:00Z");
  return new Date(at).toISOString();
}

function wrong(name: string, expected: string): AppError {
  return new AppError("invalid_input", `"${name}" must be ${expected}.`, {
    problems: [{ pointer: `/${name}`, message: "is not usable", expected, fix: `Give ${expected}.` }],
  });
}
