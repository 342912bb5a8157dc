import { ok } from "../kernel/envelope.ts";
import { AppError } from "../kernel/errors.ts";
import { digestOf } from "../kernel/canonical-json.ts";
import { isObject, type JsonObject } from "../kernel/json.ts";
import type { AbsenceRecord } from "../ports/approvals.ts";
import type { Caller } from "../ports/caller.ts";
import type { HttpRoute } from "../ports/http.ts";
import type { Services } from "../ports/services.ts";
import type { StoreTx } from "../ports/store.ts";
import { substituteFor } from "./actions.ts";
import { Names } from "./who.ts";
import { recordChange } from "../audit/record.ts";

const ABSENCE = "/api/svc/account/absence";
const MAX_DAYS = 366;
const DAY_MS = 24 * 3_600_000;
const time: JsonObject = { type: "string", format: "date-time" };

/** The paths with which a person says who decides approvals while the person is out of office. */
export const absenceRoutes: readonly HttpRoute[] = [
  {
    method: "GET",
    path: ABSENCE,
    summary: "When the signed-in person is out of office, and whose substitute the person is now.",
    access: "person",
    async handle({ context: { services, caller } }) {
      return { status: 200, body: ok(await view(services, caller)) };
    },
  },
  {
    method: "POST",
    path: ABSENCE,
    summary:
      "Names who decides approvals in the person's place {substitute, from, until}; replaces what was set.",
    access: "person",
    body: {
      type: "object",
      required: ["substitute", "from", "until"],
      properties: { substitute: { type: "string" }, from: time, until: time },
    },
    async handle({ body, context: { services, caller } }) {
      const given = isObject(body) ? body : {};
      const { substitute } = given;
      if (typeof substitute !== "string" || substitute === "") {
        throw wrong("substitute", "the id or e-mail address of a person whose role holds approve");
      }
      const fromAt = timeIn(given, "from");
      const untilAt = timeIn(given, "until");
      const span = Date.parse(untilAt) - Date.parse(fromAt);
      if (span <= 0 || span > MAX_DAYS * DAY_MS)
        throw wrong("until", `a time after from, ${MAX_DAYS} days at most`);
      const person = await substituteFor(services, substitute, "substitute");
      if (person.id === caller.id) throw wrong("substitute", "another person than yourself");
      const createdAt = new Date(services.clock.now()).toISOString();
      const record = { personId: caller.id, substituteId: person.id, fromAt, untilAt, createdAt };
      await services.store.transact(async (tx) => {
        await tx.approvals.putAbsence(record);
        await recordAbsence(services, tx, "absence_set", record);
      });
      return { status: 200, body: ok(await view(services, caller)) };
    },
  },
  {
    method: "DELETE",
    path: ABSENCE,
    summary: "The signed-in person is back: nobody decides in the person's place any more.",
    access: "person",
    async handle({ context: { services, caller } }) {
      await services.store.transact(async (tx) => {
        const absence = await tx.approvals.absence(caller.id);
        if (absence === null) return;
        await tx.approvals.dropAbsence(caller.id);
        await recordAbsence(services, tx, "absence_ended", absence);
      });
      return { status: 200, body: ok(await view(services, caller)) };
    },
  },
];

/** That a right to decide was given to another person is an event and stays in the log. */
async function recordAbsence(
  { provenance }: Services,
  tx: StoreTx,
  change: "absence_set" | "absence_ended",
  { personId, substituteId, fromAt, untilAt }: AbsenceRecord,
): Promise<void> {
  const predicate: JsonObject = { change, id: personId, by: personId, to: substituteId, fromAt, untilAt };
  await recordChange(tx, provenance, {
    action: `person.${change}`,
    by: personId,
    subject: `people/${personId}`,
    data: { id: personId, by: personId, to: substituteId, fromAt, untilAt },
    fact: {
      kind: "person",
      subjectId: personId,
      digest: digestOf(predicate),
      privacy: "restricted",
      predicate,
    },
  });
}

async function view({ store, clock, ...services }: Services, caller: Caller): Promise<JsonObject> {
  const names = new Names({ store, clock, ...services });
  const own = await store.read.approvals.absence(caller.id);
  const at = new Date(clock.now()).toISOString();
  const others = await store.read.approvals.substitutedBy(caller.id, at);
  return {
    absence:
      own === null
        ? null
        : {
            substitute: { id: own.substituteId, name: await names.of(own.substituteId) },
            from: own.fromAt,
            until: own.untilAt,
            isNow: own.fromAt <= at && at < own.untilAt,
          },
    substituteFor: await Promise.all(
      others.map(async ({ personId, untilAt }) => ({
        id: personId,
        name: await names.of(personId),
        until: untilAt,
      })),
    ),
  };
}

function timeIn(given: Readonly<Record<string, unknown>>, member: string): string {
  const value = given[member];
  const at = typeof value === "string" && /^\d{4}-\d{2}-\d{2}T/.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(at)) throw wrong(member, "an ISO 8601 time such as 2027-01-31T08:00:00Z");
  return new Date(at).toISOString();
}

function wrong(member: string, expected: string): AppError {
  return new AppError("invalid_input", `"${member}" must be ${expected}.`, {
    problems: [{ pointer: `/${member}`, message: "is not usable", expected, fix: `Give ${expected}.` }],
  });
}
