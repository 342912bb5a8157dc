import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import type { NotificationTarget } from "@workflow-ui/client";
import { call, useOperation, refreshOperation } from "../api/operations.ts";
import { session } from "../api/session.ts";
import { useExternal } from "../lib/external.ts";
import { bagsAt, textAt, type Bag } from "../lib/read.ts";
import { useSubmit } from "../lib/use-submit.ts";
import { toast } from "../shell/notices.ts";
import { Load } from "../shell/states.tsx";
import { Button } from "../ui/button.tsx";
import { CodeBlock } from "../ui/code-block.tsx";
import { Panel } from "../ui/page.tsx";
import { TextField } from "../ui/text-field.tsx";
import { getJson } from "../api/rest.ts";

/** The webhooks that tell a person or a group of approvals. */
export function TargetsPanel({ people }: { readonly people: readonly Bag[] }) {
  const { generation } = useExternal(session);
  const [secret, setSecret] = useState("");
  const answer = useOperation("list_notification_targets", {});
  const groups = useQuery({
    queryKey: ["groups", generation],
    queryFn: async ({ signal }) =>
      bagsAt(await getJson("/api/svc/groups?limit=100", signal), "data", "groups"),
  });
  const ownerName = (owner: string): string => {
    const [kind = "", id = ""] = owner.split(/:(.*)/s);
    if (kind === "person")
      return textAt(
        people.find((person) => textAt(person, "id") === id),
        "name",
        id,
      );
    const group = groups.data?.find((one) => textAt(one, "name").toLowerCase() === id);
    return `Group ${textAt(group, "name", id)}`;
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
                None yet. A chat or another system can be told when an approval waits for a person or a group.
              </p>
            ) : (
              <ul className="divide-y divide-line">
                {targets.map((target) => (
                  <Target key={target.id} target={target} owner={ownerName(target.owner)} />
                ))}
              </ul>
            )}
            <NewTarget people={people} groups={groups.data ?? []} onMade={setSecret} />
          </>
        )}
      </Load>
    </Panel>
  );
}

function Target({ target, owner }: { readonly target: NotificationTarget; readonly owner: string }) {
  const [problem, setProblem] = useState("");
  const remove = () => {
    setProblem("");
    void call("remove_notification_target", { id: target.id })
      .then(() => toast("good", "The webhook is removed."))
      .catch((error: unknown) =>
        setProblem(error instanceof Error ? error.message : "The webhook was not removed."),
      )
      .finally(() => void refreshOperation("list_notification_targets"));
  };
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-52">
        <p className="truncate font-medium">{owner}</p>
        <p className="text-sm break-all text-ink-2">{target.url}</p>
      </div>
      <Button size="sm" look="danger" aria-label={`Remove the webhook of ${owner}`} onClick={remove}>
        Remove
      </Button>
      {problem === "" ? null : (
        <p role="alert" className="w-full text-sm text-bad">
          {problem}
        </p>
      )}
    </li>
  );
}

function NewTarget({
  people,
  groups,
  onMade,
}: {
  readonly people: readonly Bag[];
  readonly groups: readonly Bag[];
  readonly onMade: (secret: string) => void;
}) {
  const id = useId();
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
      <div className="min-w-0 flex-1 basis-44">
        <label htmlFor={id} className="mb-1 block font-medium">
          For whom
        </label>
        <select id={id} name="owner" className="field-control" required defaultValue="">
          <option value="" disabled>
            Choose
          </option>
          <optgroup label="Groups">
            {groups.map((group) => (
              <option key={textAt(group, "id")} value={`group:${textAt(group, "name")}`}>
                {textAt(group, "name")}
              </option>
            ))}
          </optgroup>
          <optgroup label="People">
            {people.map((person) => (
              <option key={textAt(person, "id")} value={`person:${textAt(person, "id")}`}>
                {textAt(person, "name")}
              </option>
            ))}
          </optgroup>
        </select>
      </div>
      <div className="min-w-0 flex-1 basis-60">
        <TextField
          label="Address"
          name="url"
          type="url"
          autoComplete="off"
          placeholder="https://"
          required
          problem={form.error === "" ? undefined : form.error}
        />
      </div>
      <Button type="submit" busy={form.busy}>
        Add webhook
      </Button>
    </form>
  );
}
