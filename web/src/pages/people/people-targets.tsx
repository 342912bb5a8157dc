import type { Group, Person, NotificationTarget } from "@workflow-ui/client";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { call, useOperation, refreshOperation } from "../../api/operations.ts";
import { useSubmit } from "../../lib/use-submit.ts";
import { toast } from "../../shell/notices.ts";
import { Load } from "../../shell/states.tsx";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { Panel } from "../../ui/page.tsx";
import { InputField, SelectField } from "../../ui/fields.tsx";
import { ErrorText } from "../../ui/error-text.tsx";

/** The webhooks that tell a person or a group of approvals. */
export function TargetsPanel({ people }: { readonly people: readonly Person[] }) {
  const [secret, setSecret] = useState("");
  const answer = useOperation("list_notification_targets", {});
  const groups = useOperation("list_groups", { limit: 100 }).data?.groups ?? [];
  const ownerName = (owner: string): string => {
    const [kind = "", id = ""] = owner.split(/:(.*)/s);
    if (kind === "person") return people.find((person) => person.id === id)?.name ?? id;
    return `Group ${groups.find(({ name }) => name.toLowerCase() === id)?.name ?? id}`;
  };
  return (
    <Panel title="Webhooks for approvals" flush>
      <Load query={answer}>
        {({ targets }) => (
          <>
            {secret === "" ? null : (
              <div className="border-b border-line p-4">
                <CodeBlock text={secret} label="signing secret" />
                <p className="mt-2 text-sm text-ink-2">
                  It is shown this once. The receiver checks with it that a message comes from here (Standard
                  Webhooks).
                </p>
              </div>
            )}
            {targets.length === 0 ? (
              <p className="p-4 text-ink-2">
                None yet. A chat or another system can be notified when an approval waits for a person or a
                group.
              </p>
            ) : (
              <ul className="divide-y divide-line">
                {targets.map((target) => (
                  <Target key={target.id} target={target} owner={ownerName(target.owner)} />
                ))}
              </ul>
            )}
            <NewTarget people={people} groups={groups} onMade={setSecret} />
          </>
        )}
      </Load>
    </Panel>
  );
}

function Target({ target, owner }: { readonly target: NotificationTarget; readonly owner: string }) {
  const remove = useMutation({
    mutationFn: () => call("remove_notification_target", { id: target.id }),
    onSuccess: () => toast("good", "The webhook is removed."),
    onSettled: () => refreshOperation("list_notification_targets"),
  });
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-52">
        <p className="truncate font-medium">{owner}</p>
        <p className="text-sm break-all text-ink-2">{target.url}</p>
      </div>
      <Button
        size="sm"
        look="danger"
        aria-label={`Remove the webhook of ${owner}`}
        onClick={() => remove.mutate()}
      >
        Remove
      </Button>
      <ErrorText text={remove.error?.message} className="w-full text-sm text-bad" />
    </li>
  );
}

function NewTarget({
  people,
  groups,
  onMade,
}: {
  readonly people: readonly Person[];
  readonly groups: readonly Group[];
  readonly onMade: (secret: string) => void;
}) {
  const form = useSubmit(async ({ owner = "", url = "" }, element) => {
    const { secret } = await call("add_notification_target", { owner, url }, { interactive: false });
    onMade(secret);
    element.reset();
    await refreshOperation("list_notification_targets");
  });
  return (
    <form
      onSubmit={form.onSubmit}
      className="flex flex-wrap items-end gap-3 border-t border-line p-4 first:border-t-0"
    >
      <SelectField label="For whom" className="min-w-0 flex-1 basis-44" name="owner" required defaultValue="">
        <option value="" disabled>
          Choose
        </option>
        <optgroup label="Groups">
          {groups.map((group) => (
            <option key={group.id} value={`group:${group.name}`}>
              {group.name}
            </option>
          ))}
        </optgroup>
        <optgroup label="People">
          {people.map((person) => (
            <option key={person.id} value={`person:${person.id}`}>
              {person.name}
            </option>
          ))}
        </optgroup>
      </SelectField>
      <InputField
        label="Address"
        className="min-w-0 flex-1 basis-60"
        name="url"
        type="url"
        autoComplete="off"
        placeholder="https://"
        required
        problem={form.error === "" ? undefined : form.error}
      />
      <Button type="submit" busy={form.busy}>
        Add webhook
      </Button>
    </form>
  );
}
