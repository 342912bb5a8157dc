import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { useState } from "react";
import { queryClient } from "../api/operations.ts";
import { session } from "../api/session.ts";
import { useExternal } from "../lib/external.ts";
import { bagsAt, textAt, type Bag } from "../lib/read.ts";
import { useSubmit } from "../lib/use-submit.ts";
import { Load } from "../shell/states.tsx";
import { Button } from "../ui/button.tsx";
import { Panel } from "../ui/page.tsx";
import { TextField } from "../ui/text-field.tsx";
import { rest, getJson } from "../api/rest.ts";

const GROUPS = "/api/svc/groups";

function refresh(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: ["groups"] });
}

/** The groups with their members: make, rename, delete, add and take out. */
export function GroupsPanel({ people }: { readonly people: readonly Bag[] }) {
  const { generation } = useExternal(session);
  const groups = useQuery({
    queryKey: ["groups", generation],
    queryFn: async ({ signal }) => bagsAt(await getJson(`${GROUPS}?limit=100`, signal), "data", "groups"),
  });
  const form = useSubmit(async ({ group }, element) => {
    await rest(GROUPS, { body: { name: group } });
    element.reset();
    await refresh();
  });
  return (
    <Panel title="Groups" flush>
      <Load query={groups}>
        {(list) => (
          <>
            {list.length === 0 ? (
              <p className="p-4 text-ink-2">
                No groups yet. An approval can name a group, so that each of its members may decide.
              </p>
            ) : (
              <ul className="divide-y divide-line">
                {list.map((group) => (
                  <Group key={textAt(group, "id")} group={group} people={people} />
                ))}
              </ul>
            )}
            <form
              onSubmit={form.onSubmit}
              className="flex flex-wrap items-end gap-3 border-t border-line p-4 first:border-t-0"
            >
              <div className="min-w-0 flex-1 basis-52">
                <TextField
                  label="New group"
                  name="group"
                  autoComplete="off"
                  required
                  problem={form.problem("name") ?? (form.error === "" ? undefined : form.error)}
                />
              </div>
              <Button type="submit" busy={form.busy}>
                Make group
              </Button>
            </form>
          </>
        )}
      </Load>
    </Panel>
  );
}

function Group({ group, people }: { readonly group: Bag; readonly people: readonly Bag[] }) {
  const name = textAt(group, "name");
  const path = `${GROUPS}/${textAt(group, "id")}`;
  const members = bagsAt(group, "members");
  const ids = new Set(members.map((member) => textAt(member, "id")));
  const others = people.filter((person) => !ids.has(textAt(person, "id")));
  const [problem, setProblem] = useState("");
  const [isRenaming, setRenaming] = useState(false);
  const attempt = (work: () => Promise<unknown>) => {
    setProblem("");
    void work()
      .then(() => setRenaming(false))
      .catch((error: unknown) => setProblem(error instanceof Error ? error.message : "It did not work."))
      .finally(() => void refresh());
  };
  return (
    <li className="px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        {isRenaming ? (
          <form
            className="flex min-w-0 flex-1 basis-52 gap-2"
            onSubmit={(event) => {
              event.preventDefault();
              const next = new FormData(event.currentTarget).get("name");
              attempt(() => rest(path, { method: "PATCH", body: { name: next } }));
            }}
          >
            <input
              aria-label={`New name of ${name}`}
              name="name"
              defaultValue={name}
              className="field-control min-w-0"
              autoFocus
            />
            <Button size="sm" type="submit">
              Save
            </Button>
          </form>
        ) : (
          <p className="min-w-0 flex-1 basis-52 truncate font-medium">{name}</p>
        )}
        {others.length === 0 ? null : (
          <select
            aria-label={`Add a person to ${name}`}
            className="field-control w-auto max-w-full"
            value=""
            onChange={(event) => {
              const personId = event.target.value;
              attempt(() => rest(`${path}/members`, { body: { personId } }));
            }}
          >
            <option value="">Add a person…</option>
            {others.map((person) => (
              <option key={textAt(person, "id")} value={textAt(person, "id")}>
                {textAt(person, "name")}
              </option>
            ))}
          </select>
        )}
        <Button size="sm" aria-label={`Rename ${name}`} onClick={() => setRenaming(!isRenaming)}>
          {isRenaming ? "Cancel" : "Rename"}
        </Button>
        <Button
          size="sm"
          look="danger"
          aria-label={`Delete ${name}`}
          onClick={() => attempt(() => rest(path, { method: "DELETE" }))}
        >
          Delete
        </Button>
      </div>
      {members.length === 0 ? (
        <p className="mt-1 text-sm text-ink-2">Nobody is in this group.</p>
      ) : (
        <ul className="mt-2 flex flex-wrap gap-2">
          {members.map((member) => (
            <li
              key={textAt(member, "id")}
              className="flex max-w-full items-center gap-1 rounded-lg border border-line py-0.5 pr-0.5 pl-2 text-sm"
            >
              <span className="truncate">{textAt(member, "name")}</span>
              {textAt(member, "state") === "active" ? null : (
                <span className="text-ink-2">({textAt(member, "state")})</span>
              )}
              <Button
                size="sm"
                look="ghost"
                aria-label={`Take ${textAt(member, "name")} out of ${name}`}
                onClick={() =>
                  attempt(() => rest(`${path}/members/${textAt(member, "id")}`, { method: "DELETE" }))
                }
              >
                <X />
              </Button>
            </li>
          ))}
        </ul>
      )}
      {problem === "" ? null : (
        <p role="alert" className="mt-1 text-sm text-bad">
          {problem}
        </p>
      )}
    </li>
  );
}
