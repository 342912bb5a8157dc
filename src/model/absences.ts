import { Type, type Static } from "typebox";
import { Time, viewOf } from "./common.ts";

/** When a person is out of office, and for whom the person decides now. */
export const AbsenceView = viewOf("Absence", "Who decides approvals while a person is out of office.", {
  absence: Type.Union([
    Type.Object({
      substitute: Type.Object({ id: Type.String(), name: Type.String() }),
      from: Time,
      until: Time,
      isNow: Type.Boolean(),
    }),
    Type.Null(),
  ]),
  substituteFor: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), until: Time })),
});
export type AbsenceView = Static<typeof AbsenceView>;
