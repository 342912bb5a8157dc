import type { Group as GroupView, Person } from "@workflow-ui/client";
import { useMutation } from "@tanstack/react-query";
import { X } from "lucide-react";
import { useState } from "react";
import { call, useOperation, refreshOperation } from "../../api/operations.ts";
import { useSubmit } from "../../lib/use-submit.ts";
import { Load } from "../../shell/states.tsx";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { Panel } from "../../ui/page.tsx";
import { RenameForm } from "../../ui/rename-form.tsx";
import { InputField, Select, optionsOf } from "../../ui/fields.tsx";
import { ErrorText } from "../../ui/error-text.tsx";

const refresh = () => refreshOperation("list_groups");

/** The groups with their members: make, rename, delete, add and take out. */
export function GroupsPanel({ people }: { readonly people: readonly Person[] }) {
  const groups = useOperation("list_groups", { limit: 100 });
  const form = useSubmit(async ({ group = "" }, element) => {
    await call("create_group", { name: group });
    element.reset();
    await refresh();
  });
  return (
    <Panel title="Groups" flush>
      <Load query={groups}>
        {({ groups: list }) => (
          <>
            {list.length === 0 ? (
              <p className="p-4 text-ink-2">
                No groups yet. An approval can name a group, so that each of its members may decide.
              </p>
            ) : (
              <ul className="divide-y divide-line">
                {list.map((group) => (
                  <Group key={group.id} group={group} people={people} />
                ))}
              </ul>
            )}
            <form
              onSubmit={form.onSubmit}
              className="flex flex-wrap items-end gap-3 border-t border-line p-4 first:border-t-0"
            >
              <div className="min-w-0 flex-1 basis-52">
                <InputField
                  label="New group"
                  name="group"
                  autoComplete="off"
                  required
                  problem={form.field("name").problem ?? (form.error === "" ? undefined : form.error)}
                />
              </div>
              <Button type="submit" busy={form.busy}>
                Create group
              </Button>
            </form>
          </>
        )}
      </Load>
    </Panel>
  );
}

function Group({ group, people }: { readonly group: GroupView; readonly people: readonly Person[] }) {
  const { id, name, members } = group;
  const ids = new Set(members.map((member) => member.id));
  const others = people.filter((person) => !ids.has(person.id));
  const [isRenaming, setRenaming] = useState(false);
  const { mutate: attempt, error } = useMutation({
    mutationFn: (work: () => Promise<unknown>) => work(),
    onSuccess: () => setRenaming(false),
    onSettled: refresh,
  });
  return (
    <li className="px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        {isRenaming ? (
          <RenameForm
            name={name}
            onRename={(next) => attempt(() => call("rename_group", { id, name: next }))}
          />
        ) : (
          <p className="min-w-0 flex-1 basis-52 truncate font-medium">{name}</p>
        )}
        {others.length === 0 ? null : (
          <Select
            aria-label={`Add a person to ${name}`}
            look="w-auto max-w-full"
            value=""
            options={optionsOf(others)}
            onChoose={(personId) => attempt(() => call("add_group_member", { id, personId }))}
          >
            <option value="">Add a person…</option>
          </Select>
        )}
        <Button size="sm" aria-label={`Rename ${name}`} onClick={() => setRenaming(!isRenaming)}>
          {isRenaming ? "Cancel" : "Rename"}
        </Button>
        <Button
          size="sm"
          look="danger"
          aria-label={`Delete ${name}`}
          onClick={() => attempt(() => call("delete_group", { id }))}
        >
          Delete
        </Button>
      </div>
      {members.length === 0 ? (
        <p className="mt-1 text-sm text-ink-2">This group has no members.</p>
      ) : (
        <ul className="mt-2 flex flex-wrap gap-2">
          {members.map((member) => (
            <li
              key={member.id}
              className="flex max-w-full items-center gap-1 rounded-lg border border-line py-0.5 pr-0.5 pl-2 text-sm"
            >
              <span className="truncate">{member.name}</span>
              {member.state === "active" ? null : <span className="text-ink-2">({member.state})</span>}
              <Button
                size="sm"
                look="ghost"
                aria-label={`Take ${member.name} out of ${name}`}
                onClick={() => attempt(() => call("remove_group_member", { id, personId: member.id }))}
              >
                <X />
              </Button>
            </li>
          ))}
        </ul>
      )}
      <ErrorText text={error?.message} className="mt-1 text-sm text-bad" />
    </li>
  );
}
