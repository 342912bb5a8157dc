import { Type } from "typebox";
import { recordChange } from "../audit/record.ts";
import { digestOf } from "../kernel/canonical-json.ts";
import { invalidValue, problemAt, type Problem } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import { AbsenceView } from "../model/absences.ts";
import { inputOf, timeInput } from "../model/common.ts";
import type { AbsenceRecord } from "../ports/approvals.ts";
import type { Caller } from "../ports/caller.ts";
import { operationsWith } from "../ports/operations.ts";
import type { Services } from "../ports/services.ts";
import type { StoreTx } from "../ports/store.ts";
import { substituteFor } from "./actions.ts";
import { Names } from "./assignees.ts";

const MAX_DAYS = 366;
const DAY_MS = 24 * 3_600_000;
const { operation, declared } = operationsWith<unknown>();

operation({
  name: "get_absence",
  title: "Show my absence",
  description: "When the signed-in person is out of office, and whose substitute the person is now.",
  http: "GET /api/svc/account/absence",
  access: "person",
  input: inputOf({}),
  output: AbsenceView,
  run: (_input, { services, caller }) => view(services, caller),
});

operation({
  name: "set_absence",
  title: "Set my absence",
  description: "Names who decides approvals in the person's place for a time; replaces what was set.",
  http: "POST /api/svc/account/absence",
  access: "person",
  effect: "write",
  idempotent: true,
  input: inputOf({
    substitute: Type.String({
      minLength: 1,
      maxLength: 300,
      description: "The id or e-mail address of a person whose role holds approve.",
    }),
    from: timeInput("When the absence begins."),
    until: timeInput(`When it ends, ${MAX_DAYS} days later at most.`),
  }),
  output: AbsenceView,
  rules: ({ from, until }) => spanProblems(from, until),
  async run({ substitute, from, until }, { services, caller }) {
    const person = await substituteFor(services, substitute, "substitute");
    if (person.id === caller.id) throw invalidValue("substitute", "another person than yourself");
    const record = {
      personId: caller.id,
      substituteId: person.id,
      fromAt: new Date(from).toISOString(),
      untilAt: new Date(until).toISOString(),
      createdAt: new Date(services.clock.now()).toISOString(),
    };
    await services.store.transact(async (tx) => {
      await tx.approvals.putAbsence(record);
      await recordAbsence(services, tx, "absence_set", record);
    });
    return view(services, caller);
  },
});

operation({
  name: "end_absence",
  title: "End my absence",
  description: "The signed-in person is back: nobody decides in the person's place any more.",
  http: "DELETE /api/svc/account/absence",
  access: "person",
  effect: "write",
  idempotent: true,
  input: inputOf({}),
  output: AbsenceView,
  async run(_input, { services, caller }) {
    await services.store.transact(async (tx) => {
      const absence = await tx.approvals.absence(caller.id);
      if (absence === null) return;
      await tx.approvals.dropAbsence(caller.id);
      await recordAbsence(services, tx, "absence_ended", absence);
    });
    return view(services, caller);
  },
});

/** What people do about who decides approvals while they are out of office. */
export const absenceOperations = declared;

function spanProblems(from: string, until: string): readonly Problem[] {
  const span = Date.parse(until) - Date.parse(from);
  return span > 0 && span <= MAX_DAYS * DAY_MS
    ? []
    : [problemAt("until", `a time after from, ${MAX_DAYS} days at most`)];
}

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

async function view(services: Services, caller: Caller): Promise<AbsenceView> {
  const { store, clock } = services;
  const names = new Names(services);
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
