import type {
  Person as PersonView,
  RoleScopes,
  Role,
  PersonChange,
  OutputOf,
  InputOf,
} from "@workflow-ui/client";
import { useMutation } from "@tanstack/react-query";
import { UserPlus } from "lucide-react";
import { useState } from "react";
import { SCOPE_WORDS } from "#model/scopes.ts";
import { useMay } from "../../api/rights.ts";
import { call, useOperation, refreshOperation } from "../../api/operations.ts";
import { ago } from "../../lib/format.ts";
import { useSubmit } from "../../lib/use-submit.ts";
import { toast } from "../../shell/notices.ts";
import { Load, OnlyFor } from "../../shell/states.tsx";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { Page, Panel } from "../../ui/page.tsx";
import { InputField, Select, SelectField } from "../../ui/fields.tsx";
import { GroupsPanel } from "./people-groups.tsx";
import { TargetsPanel } from "./people-targets.tsx";
import { ErrorText } from "../../ui/error-text.tsx";

/** Who may sign in and as what: invite, give roles, disable. */
export function PeoplePage() {
  const people = useOperation("list_people", { limit: 100 }, { enabled: useMay("list_people") });
  const roles = useOperation("list_roles", {}, { staleTime: Number.POSITIVE_INFINITY });
  const [link, setLink] = useState<Link | null>(null);
  const known = roles.data?.roles ?? [];
  return (
    <Page title="People" lead="Who may sign in. A role decides what a person may see and do.">
      <OnlyFor op="list_people">
        <Load query={people}>
          {({ people: list }) => (
            <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_20rem]">
              <div className="min-w-0 space-y-4">
                {link === null ? null : <NewLink link={link} />}
                <Panel title={`${list.length} ${list.length === 1 ? "person" : "people"}`} flush>
                  {list.length === 0 ? (
                    <p className="p-4 text-ink-2">
                      No people yet. The service prints the link for the first owner at its start.
                    </p>
                  ) : (
                    <ul className="divide-y divide-line">
                      {list.map((person) => (
                        <Person
                          key={person.id}
                          person={person}
                          roles={known}
                          isLastOwner={isOwner(person) && list.filter(isOwner).length === 1}
                          onLink={setLink}
                        />
                      ))}
                    </ul>
                  )}
                </Panel>
                <GroupsPanel people={list} />
                <TargetsPanel people={list} />
              </div>
              <Invite roles={known} onLink={setLink} />
            </div>
          )}
        </Load>
      </OnlyFor>
      <RoleTable roles={known} />
    </Page>
  );
}

type Link = OutputOf<"invite_person">;

function NewLink({ link }: { readonly link: Link }) {
  return (
    <Panel title={`Link for ${link.person.email}`}>
      <CodeBlock text={link.invitation.url} label="link" />
      <p className="mt-2 text-sm text-ink-2">
        It is shown this once and works once. Send it to the person by a way you trust.
      </p>
    </Panel>
  );
}

const isOwner = ({ role, state }: PersonView): boolean => role === "owner" && state === "active";

function Person({
  person,
  roles,
  isLastOwner,
  onLink,
}: {
  readonly person: PersonView;
  readonly roles: readonly RoleScopes[];
  /** The service refuses to be without an owner. */
  readonly isLastOwner: boolean;
  readonly onLink: (link: Link) => void;
}) {
  const { id, name, state, lastSignInAt } = person;
  const refresh = () => void refreshOperation("list_people");
  const change = useMutation({
    mutationFn: (part: Omit<InputOf<"change_person">, "id">) => call("change_person", { id, ...part }),
    onSuccess: () => toast("good", `${name} was changed.`),
    onSettled: refresh,
  });
  const renew = useMutation({
    mutationFn: () => call("create_person_link", { id }),
    onSuccess: onLink,
    onSettled: refresh,
  });
  const goesOn = change.data?.goesOn ?? [];
  return (
    <li className="px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <div className="min-w-0 flex-1 basis-52">
          <p className="truncate font-medium">{name}</p>
          <p className="truncate text-sm text-ink-2">
            {person.email} ·{" "}
            {state === "active"
              ? lastSignInAt === null
                ? "has not signed in yet"
                : `signed in ${ago(lastSignInAt)}`
              : state}
          </p>
        </div>
        <Select
          aria-label={`Role of ${name}`}
          look="w-auto"
          value={person.role}
          disabled={isLastOwner}
          title={
            isLastOwner ? "At least one owner is needed. Make another person an owner first." : undefined
          }
          options={roles.map((role) => role.name)}
          onChoose={(role) => change.mutate({ role })}
        />
        {state === "disabled" ? (
          <Button size="sm" onClick={() => change.mutate({ state: "active" })}>
            Enable
          </Button>
        ) : (
          <>
            <Button size="sm" onClick={() => renew.mutate()}>
              New link
            </Button>
            {isLastOwner ? null : (
              <Button size="sm" look="danger" onClick={() => change.mutate({ state: "disabled" })}>
                Disable
              </Button>
            )}
          </>
        )}
      </div>
      <ErrorText text={(change.error ?? renew.error)?.message} className="mt-1 text-sm text-bad" />
      {state === "disabled" && goesOn.length > 0 ? <GoesOn made={goesOn} /> : null}
    </li>
  );
}

function roleIn(roles: readonly RoleScopes[], name: string): Role {
  return roles.find((role) => role.name === name)?.name ?? "viewer";
}

const MADE = {
  key: "API key",
  webhook: "Webhook to",
  notification_target: "Notifications to",
  credential: "Shared credential",
  trigger: "Trigger",
  stopped_trigger: "Stopped: trigger",
} as const;

/** What a disabled person made: what goes on working, and triggers that stopped. */
function GoesOn({ made }: { readonly made: NonNullable<PersonChange["goesOn"]> }) {
  return (
    <div className="mt-2 text-sm">
      <p className="font-medium">Made by this person. Remove what should not go on:</p>
      <ul className="list-disc pl-5">
        {made.map((one) => (
          <li key={`${one.kind} ${one.id}`}>
            {MADE[one.kind]} {one.name}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Invite({
  roles,
  onLink,
}: {
  readonly roles: readonly RoleScopes[];
  readonly onLink: (link: Link) => void;
}) {
  const form = useSubmit(async ({ email = "", name = "", role = "" }, element) => {
    const invited = { email, role: roleIn(roles, role), ...(name !== "" && { name }) };
    onLink(await call("invite_person", invited));
    element.reset();
    await refreshOperation("list_people");
  });
  return (
    <Panel title="Invite a person">
      <form onSubmit={form.onSubmit} className="space-y-4">
        <InputField
          label="E-mail address"
          {...form.field("email")}
          type="email"
          autoComplete="off"
          required
        />
        <InputField label="Name" {...form.field("name")} autoComplete="off" />
        <SelectField
          label="Role"
          name="role"
          defaultValue="viewer"
          key={roles.length}
          options={roles.map(({ name }) => name)}
        />
        <ErrorText text={form.error} />
        <Button look="primary" type="submit" busy={form.busy}>
          <UserPlus /> Invite
        </Button>
      </form>
    </Panel>
  );
}

function RoleTable({ roles }: { readonly roles: readonly RoleScopes[] }) {
  return (
    <Panel title="Roles" className="mt-4">
      <dl className="space-y-2">
        {roles.map((role) => (
          <div key={role.name}>
            <dt className="font-medium">{role.name}</dt>
            <dd className="text-ink-2">
              {role.about}{" "}
              <span className="text-sm">
                May {role.scopes.map((scope) => SCOPE_WORDS[scope]).join(", ")}.
              </span>
            </dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}
