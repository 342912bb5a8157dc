import type { InputOf } from "@workflow-ui/client";
import { useState } from "react";
import { usePeopleNames } from "../../api/names.ts";
import { call, useOperation, refreshOperation } from "../../api/operations.ts";
import { SchemaForm } from "../../form-maker/schema-form.tsx";
import { fullTime } from "../../lib/format.ts";
import { toast } from "../../shell/notices.ts";
import { Load } from "../../shell/states.tsx";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { Panel } from "../../ui/page.tsx";

async function comeBack(): Promise<void> {
  await call("end_absence", {});
  toast("good", "Your substitute no longer decides in your place.");
  await refreshOperation("get_absence");
}

/** Out of office: who decides approvals in the person's place, and for how long. */
export function AbsencePanel({ personId }: { readonly personId: string }) {
  const answer = useOperation("get_absence", {});
  return (
    <Panel title="Out of office">
      <Load query={answer}>
        {({ absence, substituteFor }) => (
          <>
            {substituteFor.map(({ id, name, until }) => (
              <p key={id} className="mb-3">
                You decide for {name} until {fullTime(until)}.
              </p>
            ))}
            {absence === null ? (
              <NewAbsence personId={personId} />
            ) : (
              <>
                <p className="mb-3">
                  {absence.substitute.name} {absence.isNow ? "decides" : "will decide"} approvals in your
                  place from {fullTime(absence.from)} until {fullTime(absence.until)}.
                </p>
                <Button onClick={() => void comeBack()}>I am back</Button>
              </>
            )}
          </>
        )}
      </Load>
    </Panel>
  );
}

function NewAbsence({ personId }: { readonly personId: string }) {
  const people = usePeopleNames(true);
  const { roles = [] } = useOperation("list_roles", {}, { staleTime: Number.POSITIVE_INFINITY }).data ?? {};
  const able = roles.filter(({ scopes }) => scopes.includes("approve")).map(({ name }) => name);
  const [now] = useState(() => new Date().toISOString());
  const save = async (input: InputOf<"set_absence">) => {
    await call("set_absence", input, { interactive: false });
    toast("good", "Saved. In that time, your substitute can decide approvals that name you.");
    await refreshOperation("get_absence");
  };
  return (
    <Load query={people}>
      {({ items: all }) => {
        const list = all.filter(
          (person) => person.id !== personId && person.state === "active" && able.includes(person.role),
        );
        return list.length === 0 ? (
          <p className="text-ink-2">No other person may decide approvals, so you cannot name a substitute.</p>
        ) : (
          <>
            <p className="mb-4 text-ink-2">
              While you are away another person decides approvals in your place.
            </p>
            <SchemaForm
              title="Out of office"
              schema={{
                type: "object",
                required: ["substitute", "from", "until"],
                properties: {
                  substitute: {
                    title: "Substitute",
                    oneOf: list.map(({ id, name, role }) => ({ const: id, title: `${name} (${role})` })),
                  },
                  from: { type: "string", format: "date-time", title: "From" },
                  until: { type: "string", format: "date-time", title: "Until" },
                },
              }}
              value={{ from: now }}
              send={save}
              submitLabel="Name the substitute"
            />
          </>
        );
      }}
    </Load>
  );
}
