import { useId } from "react";
import { usePeopleNames } from "../../api/names.ts";
import { call, useOperation, refreshOperation } from "../../api/operations.ts";
import { useSubmit } from "../../lib/use-submit.ts";
import { fullTime } from "../../lib/format.ts";
import { toast } from "../../shell/notices.ts";
import { Load } from "../../shell/states.tsx";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { Panel } from "../../ui/page.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { ErrorText } from "../../ui/error-text.tsx";

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
  const id = useId();
  const people = usePeopleNames(true);
  const { roles = [] } = useOperation("list_roles", {}, { staleTime: Number.POSITIVE_INFINITY }).data ?? {};
  const able = roles.filter(({ scopes }) => scopes.includes("approve")).map(({ name }) => name);
  const form = useSubmit(async ({ substitute = "", from = "", until = "" }) => {
    await call("set_absence", { substitute, from: utc(from), until: utc(until) }, { interactive: false });
    toast("good", "Saved. In that time, your substitute can decide approvals that name you.");
    await refreshOperation("get_absence");
  });
  return (
    <Load query={people}>
      {({ items: all }) => {
        const list = all.filter(
          (person) => person.id !== personId && person.state === "active" && able.includes(person.role),
        );
        return list.length === 0 ? (
          <p className="text-ink-2">No other person may decide approvals, so you cannot name a substitute.</p>
        ) : (
          <form onSubmit={form.onSubmit} className="space-y-4">
            <p className="text-ink-2">While you are away another person decides approvals in your place.</p>
            <div>
              <label htmlFor={id} className="mb-1 block font-medium">
                Substitute
              </label>
              <select id={id} name="substitute" className="field-control" required defaultValue="">
                <option value="" disabled>
                  Choose a person
                </option>
                {list.map((person) => (
                  <option key={person.id} value={person.id}>
                    {person.name} ({person.role})
                  </option>
                ))}
              </select>
            </div>
            <div className="flex flex-wrap gap-3">
              <TextField
                label="From"
                name="from"
                type="datetime-local"
                required
                defaultValue={localTime(new Date())}
                problem={form.problem("from")}
              />
              <TextField
                label="Until"
                name="until"
                type="datetime-local"
                required
                problem={form.problem("until")}
              />
            </div>
            <ErrorText text={form.error} />
            <Button type="submit" busy={form.busy}>
              Name the substitute
            </Button>
          </form>
        );
      }}
    </Load>
  );
}

/** What the browser's field holds is a time where the person is. */
function utc(local: string): string {
  const at = new Date(local);
  return Number.isNaN(at.getTime()) ? local : at.toISOString();
}

function localTime(at: Date): string {
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
